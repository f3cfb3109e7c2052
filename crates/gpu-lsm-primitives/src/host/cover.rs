//! cover: intervals of the Z-curve that cover rectangles of points. Twin of gpu/cover.rs.

use super::{Host, HostArray};
use crate::error::Result;
use crate::recoding::{X_BITS, is_in};
use crate::tuning::{COVER_INTERVALS, COVER_SPLITS, HOST_TILE};
use rayon::prelude::*;

/// The first and the last code of each interval.
pub(super) fn cover(host: &Host, lower: &[u64], upper: &[u64]) -> Result<(HostArray<u64>, HostArray<u64>)> {
    let intervals = lower.len() * COVER_INTERVALS;
    let (mut starts, mut ends) = (host.zeroed::<u64>(intervals)?, host.zeroed::<u64>(intervals)?);
    starts
        .slice_mut()
        .par_iter_mut()
        .zip(ends.slice_mut())
        .enumerate()
        .with_min_len(HOST_TILE / 16)
        .for_each(|(i, (start, end))| {
            let rectangle = i / COVER_INTERVALS;
            (*start, *end) = interval(lower[rectangle], upper[rectangle], i % COVER_INTERVALS);
        });
    Ok((starts.share(), ends.share()))
}

/// The interval of a rectangle that the bits of `choices` choose, the highest bit first; an empty one if there is none.
fn interval(lower: u64, upper: u64, choices: usize) -> (u64, u64) {
    const NONE: (u64, u64) = (u64::MAX, u64::MIN);
    if !is_in(upper, lower, upper) {
        return NONE;
    }
    let (mut first, mut last) = (lower, upper);
    for split in (0..COVER_SPLITS).rev() {
        let takes_second = choices >> split & 1 == 1;
        // Below the highest bit in which the codes differ, the halves have all bits of that axis set, or none.
        match (first ^ last).checked_ilog2() {
            Some(bit) => {
                let axis = if bit % 2 == 0 { X_BITS } else { !X_BITS };
                let below = ((1 << bit) - 1) & axis;
                if takes_second {
                    first = (first | 1 << bit) & !below;
                } else {
                    last = last & !(1 << bit) | below;
                }
            }
            None if takes_second => return NONE,
            None => {}
        }
    }
    (first, last)
}
