//! expand: the entries in each query's interval, one query after the other.
//!
//! Input    keys of a run, with their values as words; starts: where each query's interval starts; offsets: the running
//!          sums of the intervals' lengths
//! Output   out_keys, out_values, as many as there is room for; or out_marks, one bit per entry
//! Launch   one unit per MERGE_ITEMS outputs: work is spread evenly over entries, however unequal the queries are
//! Steps    a binary search for the first output's query; when a query's entries end, a short search ahead for the next
//! Cost     reads and writes every key and value once
//! Twin     host/expand.rs

use super::shared::marks::mark_at;
use super::shared::queries::{next_query, query_of};
use super::shared::values::copy_value;
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

/// The marks of the entries that [`expand`] lays out. Each unit writes one word of them.
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
