//! intervals: where the interval of each query lies in each full level.
//!
//! Input    keys: all levels; lower, upper: the inclusive bounds of each query, plain keys
//! Output   starts, lens: all full levels for the first query, newest first, then all for the second, and so on
//! Launch   direct: one unit per query; staged: one unit per query and full level, so that neighbours write side by side
//! Steps    two binary searches in each full level
//! Cost     per level, about 2 log2 of its length scattered reads
//! Twin     host/baselines/intervals.rs      Source  paper, section 4.3, step 1

use super::shared::smaller;
use crate::baselines::LARGEST_KEY;
use crate::gpu::axes::Tiles;
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
    #[comptime] tiles: Tiles,
) {
    if comptime!(tiles == Tiles::Staged) {
        if ABSOLUTE_POS < starts.len() {
            let q = ABSOLUTE_POS / full as usize;
            let mut skipped = (ABSOLUTE_POS % full as usize) as u32;
            let mut start = 0u32;
            let mut len = batch;
            let mut rest = batches;
            while rest & 1 == 0 || skipped > 0 {
                skipped -= rest & 1;
                start += len;
                len *= 2;
                rest >>= 1u32;
            }
            let (first, end) = interval(keys, start, len, lower[q], upper[q]);
            starts[ABSOLUTE_POS] = start + first;
            lens[ABSOLUTE_POS] = end - first;
        }
    } else if ABSOLUTE_POS < lower.len() {
        let q = ABSOLUTE_POS;
        let mut out = q * full as usize;
        let mut start = 0u32;
        let mut len = batch;
        let mut rest = batches;
        while rest != 0 {
            if rest & 1 == 1 {
                let (first, end) = interval(keys, start, len, lower[q], upper[q]);
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

/// Where a query's interval starts and ends in a level.
#[cube]
fn interval(keys: &[u32], start: u32, len: u32, lower: u32, upper: u32) -> (u32, u32) {
    let high = min(upper, LARGEST_KEY);
    let mut first = 0u32;
    let mut end = 0u32;
    if lower <= high {
        first = smaller(keys, start, len, lower << 1).0;
        end = len;
        if high < LARGEST_KEY {
            end = smaller(keys, start, len, (high + 1) << 1).0;
        }
    }
    (first, end)
}
