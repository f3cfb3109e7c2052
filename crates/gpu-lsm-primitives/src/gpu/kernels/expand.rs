//! expand: the entries that lie in each query's interval, one query after the other.
//!
//! Input    keys of a run; starts: where each query's interval starts; offsets: the sums of the intervals' lengths
//! Output   out_keys; queries: the query of each; sources: where each stands in the run; room for as many at least
//! Launch   one unit per ITEMS outputs: work is spread over entries, however unequal the queries are
//! Steps    find the query of an output by binary search, again where the next output belongs to another
//! Cost     reads each key once, writes three columns once
//! Twin     host/expand.rs

use crate::tuning::ITEMS;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn expand<K: Int>(
    keys: &[K],
    starts: &[u32],
    offsets: &[u32],
    out_keys: &mut [K],
    queries: &mut [u32],
    sources: &mut [u32],
) {
    let first = ABSOLUTE_POS * ITEMS as usize;
    let total = offsets[offsets.len() - 1] as usize;
    if first < total {
        let mut query = query_of(offsets, first as u32);
        for item in 0..ITEMS {
            let out = first + item as usize;
            if out < total {
                if offsets[query as usize + 1] <= out as u32 {
                    query = query_of(offsets, out as u32);
                }
                let source = starts[query as usize] + (out as u32 - offsets[query as usize]);
                out_keys[out] = keys[source as usize];
                queries[out] = query;
                sources[out] = source;
            }
        }
    }
}

/// The query whose entries include output `out`: the last whose offset is not above it.
#[cube]
fn query_of(offsets: &[u32], out: u32) -> u32 {
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
