//! merge: one sorted array from a newer and an older one.
//!
//! Input    newer, older: keys strictly ascending; of the newer as many as `count` says
//! Output   out_keys: strictly ascending; where both have a key, the newer one
//!          sources: where each came from; from the older, counted on from `split`
//! Launch   one unit per ITEMS steps through both inputs, for as many as there can be at most
//! Steps    1. find where the unit starts in both inputs (merge path) and count what it keeps
//!          2. scan the counts   3. start again and write
//! Cost     reads both inputs' keys twice, writes keys and sources once
//! Twin     host/merge.rs      Source  Green, McColl, Bader 2012; paper, section 4.1

use crate::tuning::ITEMS;
use cubecl::prelude::*;

/// Step 1. `dropped` marks the newer keys that are to go; it has length 0 where none are.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn merge_count<K: Int>(
    newer: &[K],
    older: &[K],
    dropped: &[u32],
    count: &[u32],
    kept: &mut [u32],
    count_at: u32,
) {
    let newer_len = count[count_at as usize];
    let older_len = older.len() as u32;
    let start = min(ABSOLUTE_POS as u32 * ITEMS, newer_len + older_len);
    let end = start + min(ITEMS, newer_len + older_len - start);
    let mut i = newer_before::<K>(newer, older, newer_len, older_len, start);
    let mut j = start - i;
    let mut mine = 0u32;
    for _ in start..end {
        if takes_newer::<K>(newer, older, newer_len, older_len, i, j) {
            if !is_marked(dropped, i) {
                mine += 1;
            }
            i += 1;
        } else {
            if !is_shadowed::<K>(newer, older, i, j) {
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
pub(crate) fn merge_write<K: Int>(
    newer: &[K],
    older: &[K],
    dropped: &[u32],
    offsets: &[u32],
    count: &[u32],
    out_keys: &mut [K],
    sources: &mut [u32],
    count_at: u32,
    split: u32,
) {
    let newer_len = count[count_at as usize];
    let older_len = older.len() as u32;
    let start = min(ABSOLUTE_POS as u32 * ITEMS, newer_len + older_len);
    let end = start + min(ITEMS, newer_len + older_len - start);
    if start < end {
        let mut i = newer_before::<K>(newer, older, newer_len, older_len, start);
        let mut j = start - i;
        let mut out = offsets[ABSOLUTE_POS];
        for _ in start..end {
            if takes_newer::<K>(newer, older, newer_len, older_len, i, j) {
                if !is_marked(dropped, i) {
                    out_keys[out as usize] = newer[i as usize];
                    sources[out as usize] = i;
                    out += 1;
                }
                i += 1;
            } else {
                if !is_shadowed::<K>(newer, older, i, j) {
                    out_keys[out as usize] = older[j as usize];
                    sources[out as usize] = split + j;
                    out += 1;
                }
                j += 1;
            }
        }
    }
}

/// How many of the first `step` keys in merged order are newer ones; of equal keys the newer comes first.
#[cube]
fn newer_before<K: Int>(newer: &[K], older: &[K], newer_len: u32, older_len: u32, step: u32) -> u32 {
    let mut low = 0u32;
    if step > older_len {
        low = step - older_len;
    }
    let mut high = min(step, newer_len);
    while low < high {
        let middle = low + (high - low) / 2;
        if newer[middle as usize] <= older[(step - 1 - middle) as usize] {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Whether the next key in merged order is a newer one.
#[cube]
fn takes_newer<K: Int>(newer: &[K], older: &[K], newer_len: u32, older_len: u32, i: u32, j: u32) -> bool {
    let mut newer_is_next = i < newer_len;
    if i < newer_len && j < older_len {
        newer_is_next = newer[i as usize] <= older[j as usize];
    }
    newer_is_next
}

/// Whether the older key is hidden by the same newer key, which then stands just before it.
#[cube]
fn is_shadowed<K: Int>(newer: &[K], older: &[K], i: u32, j: u32) -> bool {
    let mut shadowed = false;
    if i > 0 {
        shadowed = newer[(i - 1) as usize] == older[j as usize];
    }
    shadowed
}

/// Whether bit `i` is set; no bit is where there are no bits.
#[cube]
pub(super) fn is_marked(bits: &[u32], i: u32) -> bool {
    let mut marked = false;
    let word = (i / 32) as usize;
    if word < bits.len() {
        marked = (bits[word] >> (i % 32)) & 1 == 1;
    }
    marked
}
