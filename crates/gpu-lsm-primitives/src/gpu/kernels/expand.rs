//! expand: the entries that lie in each query's interval, one query after the other.
//!
//! Input    keys of a run, with their values as words; starts: where each query's interval starts; offsets: the sums of
//!          the intervals' lengths
//! Output   out_keys, out_values, as many as there is room for; or out_marks, a bit per entry
//! Launch   one unit per ITEMS outputs, for marks one per 32: work is spread over entries, however unequal the queries are
//! Steps    find the query of an output by binary search, again where the next output belongs to neither it nor the next
//! Cost     reads and writes every key and value once
//! Twin     host/expand.rs

use super::merge::copy_value;
use super::search::mark_at;
use crate::tuning::ITEMS;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn expand<K: Int>(
    keys: &[K],
    values: &[u32],
    starts: &[u32],
    offsets: &[u32],
    out_keys: &mut [K],
    out_values: &mut [u32],
    #[comptime] words: u32,
) {
    let first = ABSOLUTE_POS * ITEMS as usize;
    let total = min(offsets[offsets.len() - 1] as usize, out_keys.len());
    if first < total {
        let mut query = query_of(offsets, first as u32);
        for item in 0..ITEMS {
            let out = first + item as usize;
            if out < total {
                if offsets[query as usize + 1] <= out as u32 {
                    query = next_query(offsets, query, out as u32);
                }
                let source = starts[query as usize] + (out as u32 - offsets[query as usize]);
                out_keys[out] = keys[source as usize];
                copy_value(values, source, out_values, out as u32, words);
            }
        }
    }
}

/// The marks of what [`expand`] lays out: one unit per 32 outputs, which is a word of them.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn expand_marks(bits: &[u32], starts: &[u32], offsets: &[u32], out_marks: &mut [u32]) {
    let first = ABSOLUTE_POS * 32;
    let total = min(offsets[offsets.len() - 1] as usize, 32 * out_marks.len());
    if first < total {
        let mut query = query_of(offsets, first as u32);
        let mut mine = 0u32;
        for bit in 0..32u32 {
            let out = first + bit as usize;
            if out < total {
                if offsets[query as usize + 1] <= out as u32 {
                    query = next_query(offsets, query, out as u32);
                }
                let source = starts[query as usize] + (out as u32 - offsets[query as usize]);
                mine |= mark_at(bits, source) << bit;
            }
        }
        out_marks[ABSOLUTE_POS] = mine;
    }
}

/// The query whose entries include output `out`, which comes just after those of `query`: mostly the next.
#[cube]
pub(super) fn next_query(offsets: &[u32], query: u32, out: u32) -> u32 {
    let mut next = query + 1;
    if offsets[next as usize + 1] <= out {
        next = query_of(offsets, out);
    }
    next
}

/// The query whose entries include output `out`: the last whose offset is not above it.
#[cube]
pub(super) fn query_of(offsets: &[u32], out: u32) -> u32 {
    let mut low = 0u32;
    let mut high = offsets.len() as u32 - 1;
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if offsets[middle as usize] <= out {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
