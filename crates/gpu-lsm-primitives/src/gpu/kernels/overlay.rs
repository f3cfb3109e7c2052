//! overlay: the candidates of a newer run laid over those of an older one: a merge by (query, key).
//!
//! Input    newer, older: keys ascending within each query; newer_queries, older_queries: ascending; of the newer as
//!          many as `count` says
//! Output   sources: where each entry of the result comes from; from the older, counted on from `split`
//! Launch   one unit per ITEMS steps through both inputs, for as many as there can be at most
//! Steps    as in merge: 1. count what each unit keeps   2. scan   3. write
//! Cost     reads both inputs' keys and queries twice, writes sources once
//! Twin     host/merge.rs, which merges by (query, key) too

use crate::tuning::ITEMS;
use cubecl::prelude::*;

/// Step 1.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn overlay_count<K: Int>(
    newer: &[K],
    older: &[K],
    newer_queries: &[u32],
    older_queries: &[u32],
    count: &[u32],
    kept: &mut [u32],
    count_at: u32,
) {
    let newer_len = count[count_at as usize];
    let older_len = older.len() as u32;
    let start = min(ABSOLUTE_POS as u32 * ITEMS, newer_len + older_len);
    let end = start + min(ITEMS, newer_len + older_len - start);
    let mut i = newer_before::<K>(newer, older, newer_queries, older_queries, newer_len, start);
    let mut j = start - i;
    let mut mine = 0u32;
    for _ in start..end {
        if takes_newer::<K>(newer, older, newer_queries, older_queries, newer_len, i, j) {
            mine += 1;
            i += 1;
        } else {
            if !is_shadowed::<K>(newer, older, newer_queries, older_queries, i, j) {
                mine += 1;
            }
            j += 1;
        }
    }
    if ABSOLUTE_POS < kept.len() {
        kept[ABSOLUTE_POS] = mine;
    }
}

/// Step 3.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn overlay_write<K: Int>(
    newer: &[K],
    older: &[K],
    newer_queries: &[u32],
    older_queries: &[u32],
    count: &[u32],
    offsets: &[u32],
    sources: &mut [u32],
    count_at: u32,
    split: u32,
) {
    let newer_len = count[count_at as usize];
    let older_len = older.len() as u32;
    let start = min(ABSOLUTE_POS as u32 * ITEMS, newer_len + older_len);
    let end = start + min(ITEMS, newer_len + older_len - start);
    if start < end {
        let mut i = newer_before::<K>(newer, older, newer_queries, older_queries, newer_len, start);
        let mut j = start - i;
        let mut out = offsets[ABSOLUTE_POS];
        for _ in start..end {
            if takes_newer::<K>(newer, older, newer_queries, older_queries, newer_len, i, j) {
                sources[out as usize] = i;
                out += 1;
                i += 1;
            } else {
                if !is_shadowed::<K>(newer, older, newer_queries, older_queries, i, j) {
                    sources[out as usize] = split + j;
                    out += 1;
                }
                j += 1;
            }
        }
    }
}

/// How many of the first `step` entries in merged order are newer ones; of equal ones the newer comes first.
#[cube]
fn newer_before<K: Int>(
    newer: &[K],
    older: &[K],
    newer_queries: &[u32],
    older_queries: &[u32],
    newer_len: u32,
    step: u32,
) -> u32 {
    let older_len = older.len() as u32;
    let mut low = 0u32;
    if step > older_len {
        low = step - older_len;
    }
    let mut high = min(step, newer_len);
    while low < high {
        let middle = low + (high - low) / 2;
        if comes_first::<K>(newer, older, newer_queries, older_queries, middle, step - 1 - middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Whether the next entry in merged order is a newer one.
#[cube]
fn takes_newer<K: Int>(
    newer: &[K],
    older: &[K],
    newer_queries: &[u32],
    older_queries: &[u32],
    newer_len: u32,
    i: u32,
    j: u32,
) -> bool {
    let mut newer_is_next = i < newer_len;
    if i < newer_len && j < older.len() as u32 {
        newer_is_next = comes_first::<K>(newer, older, newer_queries, older_queries, i, j);
    }
    newer_is_next
}

/// Whether the newer entry `i` comes before the older entry `j`, or is its equal.
#[cube]
fn comes_first<K: Int>(
    newer: &[K],
    older: &[K],
    newer_queries: &[u32],
    older_queries: &[u32],
    i: u32,
    j: u32,
) -> bool {
    let newer_query = newer_queries[i as usize];
    let older_query = older_queries[j as usize];
    newer_query < older_query || (newer_query == older_query && newer[i as usize] <= older[j as usize])
}

/// Whether the older entry is hidden by the same newer one, which then stands just before it.
#[cube]
fn is_shadowed<K: Int>(
    newer: &[K],
    older: &[K],
    newer_queries: &[u32],
    older_queries: &[u32],
    i: u32,
    j: u32,
) -> bool {
    let mut shadowed = false;
    if i > 0 {
        let before = (i - 1) as usize;
        shadowed = newer_queries[before] == older_queries[j as usize] && newer[before] == older[j as usize];
    }
    shadowed
}
