//! intervals: where the interval of each query lies in each full level.
//!
//! Input    keys: all levels; lower, upper: the inclusive bounds of each query, plain keys
//! Output   starts, lens: all full levels for the first query, newest first, then all for the second, and so on
//! Launch   one unit per query
//! Steps    two binary searches in each full level
//! Cost     per level, about 2 log2 of its length scattered reads
//! Twin     host/baselines/intervals.rs      Source  paper, section 4.3, step 1

use super::shared::smaller;
use crate::baselines::LARGEST_KEY;
use cubecl::prelude::*;

/// `full`: the number of full levels.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn intervals(
    keys: &[u32],
    lower: &[u32],
    upper: &[u32],
    starts: &mut [u32],
    lens: &mut [u32],
    batch: u32,
    batches: u32,
    full: u32,
) {
    let q = ABSOLUTE_POS;
    if q < lower.len() {
        let low = lower[q];
        let high = min(upper[q], LARGEST_KEY);
        let mut out = q * full as usize;
        let mut start = 0u32;
        let mut len = batch;
        let mut rest = batches;
        while rest != 0 {
            if rest & 1 == 1 {
                let mut first = 0u32;
                let mut end = 0u32;
                if low <= high {
                    first = smaller(keys, start, len, low << 1);
                    end = len;
                    if high < LARGEST_KEY {
                        end = smaller(keys, start, len, (high + 1) << 1);
                    }
                }
                starts[out] = start + first;
                lens[out] = end - first;
                out += 1;
            }
            start += len;
            len *= 2;
            rest >>= 1u32;
        }
    }
}
