//! offsets: where the entries of each query start in a list of entries that is ordered by query.
//!
//! Input    queries: ascending, as many as `count` says
//! Output   out: for each query, and one past the last, how many entries belong to queries before it
//! Launch   one unit per query
//! Steps    a binary search; or, to keep only the first few of each query, a subtraction
//! Cost     about log2 of the number of entries scattered reads per query
//! Twin     host/offsets.rs

use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn offsets(queries: &[u32], count: &[u32], out: &mut [u32], count_at: u32) {
    if ABSOLUTE_POS < out.len() {
        let query = ABSOLUTE_POS as u32;
        let mut low = 0u32;
        let mut high = count[count_at as usize];
        while low < high {
            let middle = low + (high - low) / 2;
            if queries[middle as usize] < query {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        out[ABSOLUTE_POS] = low;
    }
}

/// The lengths that are left where each query keeps at most `limit` entries.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn offsets_clip(offsets: &[u32], lens: &mut [u32], limit: u32) {
    let q = ABSOLUTE_POS;
    if q < lens.len() {
        lens[q] = min(offsets[q + 1] - offsets[q], limit);
    }
}
