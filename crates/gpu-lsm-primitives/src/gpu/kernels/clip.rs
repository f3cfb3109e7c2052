//! clip: the first few entries of each query.
//!
//! Input    offsets: where each query's entries start, and where the last one's end
//! Output   lens: the number of entries that each query keeps: all, but at most `limit`
//! Launch   one unit per query
//! Cost     reads the offsets and writes the lengths once
//! Twin     host/clip.rs

use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn clip(offsets: &[u32], lens: &mut [u32], limit: u32) {
    let q = ABSOLUTE_POS;
    if q < lens.len() {
        lens[q] = min(offsets[q + 1] - offsets[q], limit);
    }
}
