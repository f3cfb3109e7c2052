//! bounds: where the interval of each query lies in a run.
//!
//! Input    keys: strictly ascending; lower, upper: the inclusive bounds of each query, in any order
//! Output   starts: the position of the first key in the interval; lens: how many keys are in it
//! Launch   one unit per query
//! Steps    two binary searches
//! Cost     about twice log2 of the run's length scattered reads per query
//! Twin     host/bounds.rs      Source  paper, section 3.5

use super::search::lower_bound;
use cubecl::prelude::*;

/// `after`: the lower bounds are exclusive.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn bounds<K: Int>(
    keys: &[K],
    lower: &[K],
    upper: &[K],
    starts: &mut [u32],
    lens: &mut [u32],
    after: u32,
) {
    let q = ABSOLUTE_POS;
    if q < lower.len() {
        let mut start = lower_bound::<K>(keys, lower[q]);
        if after == 1
            && (start as usize) < keys.len()
            && keys[min(start as usize, keys.len() - 1)] == lower[q]
        {
            start += 1;
        }
        let mut end = lower_bound::<K>(keys, upper[q]);
        if (end as usize) < keys.len() && keys[min(end as usize, keys.len() - 1)] == upper[q] {
            end += 1;
        }
        let mut len = 0u32;
        if start < end {
            len = end - start;
        }
        starts[q] = start;
        lens[q] = len;
    }
}
