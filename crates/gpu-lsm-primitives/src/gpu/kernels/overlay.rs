//! overlay: what a run has in each query's interval, merged with what newer runs have there; all entries stay.
//!
//! Input    newer: the entries of one query after the other, in order within each; older: a run; segments: for each query,
//!          and one past the last, how many newer entries and how many older ones the queries before it have, and where
//!          its older ones start in the run
//! Output   out, out_values: the entries of one query after the other, in order; of equal keys the older ones first
//! Launch   one unit per ITEMS entries of the output, for marks one per 32: work is spread over entries, however unequal the queries are
//! Steps    find the query where the unit starts, and where in both inputs (merge path), then step through them
//! Cost     reads and writes every key and value once
//! Twin     host/overlay.rs

use super::merge::{copy_one, older_before};
use super::search::mark_at;
use crate::tuning::ITEMS;
use cubecl::prelude::*;

/// With `marks`, in place of values a bit per entry, or none on one side: then a unit has 32 entries, which is a word of marks,
/// and the keys are not written.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn overlay<K: Int>(
    newer: &[K],
    newer_values: &[u32],
    older: &[K],
    older_values: &[u32],
    segments: &[u32],
    out: &mut [K],
    out_values: &mut [u32],
    #[comptime] words: u32,
    #[comptime] marks: bool,
) {
    let items = comptime!(if marks { 32 } else { ITEMS });
    let mut room = out.len() as u32;
    if marks {
        room = 32 * out_values.len() as u32;
    }
    let total = min(entries_before(segments, segments.len() - 3), room);
    let older_len = older.len() as u32;
    let newer_len = newer.len() as u32;
    let start = min(ABSOLUTE_POS as u32 * items, total);
    let end = start + min(items, total - start);
    if start < end {
        let mut mine = 0u32;
        let mut query = query_at(segments, start);
        let step = start - entries_before(segments, query);
        let mut i = segments[query];
        let mut newer_end = segments[query + 3];
        let mut j = segments[query + 2];
        let mut older_end = j + segments[query + 4] - segments[query + 1];
        let older_steps = older_before::<K>(newer, older, i, newer_end - i, j, older_end - j, step);
        i += step - older_steps;
        j += older_steps;
        for at in start..end {
            if i == newer_end && j == older_end {
                query += 3;
                if entries_before(segments, query + 3) == at {
                    query = query_at(segments, at);
                }
                i = segments[query];
                newer_end = segments[query + 3];
                j = segments[query + 2];
                older_end = j + segments[query + 4] - segments[query + 1];
            }
            let old = older[min(j, older_len - 1) as usize];
            let new = newer[min(i, newer_len - 1) as usize];
            let takes_older = j < older_end && (i == newer_end || old <= new);
            let mut key = new;
            let mut source = i;
            if takes_older {
                key = old;
                source = j;
            }
            if marks {
                let mut mark = mark_at(newer_values, source);
                if takes_older {
                    mark = mark_at(older_values, source);
                }
                mine |= mark << (at - start);
            } else {
                out[at as usize] = key;
                copy_one(takes_older, older_values, newer_values, source, out_values, at, words);
            }
            if takes_older {
                j += 1;
            } else {
                i += 1;
            }
        }
        if marks {
            out_values[ABSOLUTE_POS] = mine;
        }
    }
}

/// The segments, and where each query's entries start in the output.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn overlay_segments(
    newer_offsets: &[u32],
    older_offsets: &[u32],
    older_starts: &[u32],
    segments: &mut [u32],
    offsets: &mut [u32],
) {
    let q = ABSOLUTE_POS;
    if q < offsets.len() {
        let mut start = 0u32;
        if q < older_starts.len() {
            start = older_starts[q];
        }
        segments[3 * q] = newer_offsets[q];
        segments[3 * q + 1] = older_offsets[q];
        segments[3 * q + 2] = start;
        offsets[q] = newer_offsets[q] + older_offsets[q];
    }
}

/// How many entries all queries before the one whose segment starts at `query` have.
#[cube]
fn entries_before(segments: &[u32], query: usize) -> u32 {
    segments[query] + segments[query + 1]
}

/// Where the segment of the query starts whose entries include output `at`: the last that has no more before it.
#[cube]
fn query_at(segments: &[u32], at: u32) -> usize {
    let mut low = 0u32;
    let mut high = segments.len() as u32 / 3 - 1;
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if entries_before(segments, 3 * middle as usize) <= at {
            low = middle;
        } else {
            high = middle;
        }
    }
    3 * low as usize
}
