//! expand: the entries that lie in each query's interval, one query after the other.
//!
//! Input    keys of a run, with their values as words; starts: where each query's interval starts; offsets: the sums of
//!          the intervals' lengths
//! Output   out_keys, out_values, as many as there is room for; or out_marks, a bit per entry
//! Launch   one unit per MERGE_ITEMS outputs: work is spread over entries, however unequal the queries are
//! Steps    find the query of the first output by binary search; where an output belongs to another, look ahead for it
//! Cost     reads and writes every key and value once
//! Twin     host/expand.rs

use super::merge::copy_value;
use super::search::mark_at;
use crate::tuning::MERGE_ITEMS;
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
    let first = ABSOLUTE_POS * MERGE_ITEMS as usize;
    let total = min(offsets[offsets.len() - 1] as usize, out_keys.len());
    if first < total {
        let mut query = query_of(offsets, 1u32, first as u32);
        for item in 0..MERGE_ITEMS {
            let out = first + item as usize;
            if out < total {
                if offsets[query as usize + 1] <= out as u32 {
                    query = next_query(offsets, 1u32, query, out as u32);
                }
                let source = starts[query as usize] + (out as u32 - offsets[query as usize]);
                out_keys[out] = keys[source as usize];
                copy_value(values, source, out_values, out as u32, words);
            }
        }
    }
}

/// The marks of what [`expand`] lays out: a unit's are a word of them.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn expand_marks(bits: &[u32], starts: &[u32], offsets: &[u32], out_marks: &mut [u32]) {
    let first = ABSOLUTE_POS * MERGE_ITEMS as usize;
    let total = min(offsets[offsets.len() - 1] as usize, 32 * out_marks.len());
    if first < total {
        let mut query = query_of(offsets, 1u32, first as u32);
        let mut mine = 0u32;
        for bit in 0..MERGE_ITEMS {
            let out = first + bit as usize;
            if out < total {
                if offsets[query as usize + 1] <= out as u32 {
                    query = next_query(offsets, 1u32, query, out as u32);
                }
                let source = starts[query as usize] + (out as u32 - offsets[query as usize]);
                mine |= mark_at(bits, source) << bit;
            }
        }
        out_marks[ABSOLUTE_POS] = mine;
    }
}

/// The query whose entries include output `out`, which comes just after those of `query`: mostly the next, or one of the
/// next few, so it looks ever further. `stride`: as for [`query_of`].
#[cube]
pub(super) fn next_query(offsets: &[u32], #[comptime] stride: u32, query: u32, out: u32) -> u32 {
    let end = offsets.len() as u32 / stride - 1;
    let mut low = query + 1;
    let mut reach = 1u32;
    while reach < end - low && offsets[(min(low + reach, end) * stride) as usize] <= out {
        low += reach;
        reach *= 2;
    }
    query_between(offsets, stride, low, low + min(reach, end - low), out)
}

/// The query whose entries include output `out`. Each has an offset every `stride` numbers, as has the end of the last.
#[cube]
pub(super) fn query_of(offsets: &[u32], #[comptime] stride: u32, out: u32) -> u32 {
    query_between(offsets, stride, 0, offsets.len() as u32 / stride - 1, out)
}

/// The last query from `first` on and before `end` whose offset is not above `out`; that of `first` is not.
#[cube]
fn query_between(offsets: &[u32], #[comptime] stride: u32, first: u32, end: u32, out: u32) -> u32 {
    let mut low = first;
    let mut high = end;
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if offsets[(middle * stride) as usize] <= out {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
