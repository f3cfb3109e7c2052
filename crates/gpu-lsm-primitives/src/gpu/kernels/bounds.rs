//! bounds: where the interval of each query lies in a run.
//!
//! Input    keys: strictly ascending; index: as `index` builds it; lower, upper: the inclusive bounds of each query, in
//!          any order
//! Output   starts: the position of the first key in the interval; lens: the number of keys in it
//! Launch   one unit per query
//! Steps    two searches side by side, each in one part of the index
//! Cost     per query and bound, two records of the index and about log2 of a part's keys or, with guesses and an even
//!          spread of keys, about three
//! Twin     host/bounds.rs      Source  paper, section 3.5

use super::shared::searching::interval;
use cubecl::prelude::*;

/// `after`: 1 if the lower bounds are exclusive.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn bounds<K: Int>(
    keys: &[K],
    index: &[u32],
    lower: &[K],
    upper: &[K],
    starts: &mut [u32],
    lens: &mut [u32],
    after: u32,
    #[comptime] guessing: bool,
) {
    let q = ABSOLUTE_POS;
    if q < lower.len() {
        let (start, end) = interval::<K>(keys, index, lower[q], upper[q], after == 1, guessing);
        let mut len = 0u32;
        if start < end {
            len = end - start;
        }
        starts[q] = start;
        lens[q] = len;
    }
}
