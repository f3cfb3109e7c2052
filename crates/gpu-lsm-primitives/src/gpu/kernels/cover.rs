//! cover: intervals of the Z-curve that cover rectangles of points.
//!
//! Input    lower, upper: the corners of each rectangle, as codes
//! Output   starts, ends: for each rectangle as many intervals as halves of halves; in ascending order, and disjoint.
//!          Those without a point have the largest code as their start and the smallest as their end
//! Launch   one unit per interval
//! Steps    at the highest bit in which the corners' codes differ, the curve enters the second half of the rectangle, with
//!          the larger codes. A unit halves its rectangle several times; the bits of its position choose the half. The
//!          corners that are left are the ends of its interval
//! Cost     reads each corner and writes each interval once
//! Twin     host/cover.rs      Source  Tropf and Herzog 1981 (LITMAX and BIGMIN)

use super::shared::points::{is_in, x_bits};
use crate::tuning::{COVER_INTERVALS, COVER_SPLITS};
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn cover<K: Int>(lower: &[K], upper: &[K], starts: &mut [K], ends: &mut [K]) {
    if ABSOLUTE_POS < starts.len() {
        let rectangle = ABSOLUTE_POS / COVER_INTERVALS;
        let choices = (ABSOLUTE_POS % COVER_INTERVALS) as u32;
        let mut first = lower[rectangle];
        let mut last = upper[rectangle];
        let mut has_points = is_in::<K>(last, first, last);
        #[unroll]
        for split in 0..COVER_SPLITS {
            let differing = filled::<K>(first ^ last);
            let bit = differing ^ (differing >> K::cast_from(1u32));
            // The lower bits of the same axis.
            let below = (differing >> K::cast_from(1u32)) & axis_of::<K>(bit);
            if (choices >> comptime!(COVER_SPLITS - 1 - split)) & 1 == 1 {
                first = (first | bit | below) ^ below;
                has_points = has_points && differing != K::cast_from(0u32);
            } else {
                last = ((last | bit) ^ bit) | below;
            }
        }
        if !has_points {
            first = K::max_value();
            last = K::min_value();
        }
        starts[ABSOLUTE_POS] = first;
        ends[ABSOLUTE_POS] = last;
    }
}

/// The number with all bits below its highest one set too.
#[cube]
fn filled<K: Int>(number: K) -> K {
    let mut filled = number;
    #[unroll]
    for step in 0..6u32 {
        filled |= filled >> K::cast_from(comptime!(1u32 << step));
    }
    filled
}

/// The bits of the axis that a bit belongs to.
#[cube]
fn axis_of<K: Int>(bit: K) -> K {
    let mut axis = x_bits::<K>();
    if bit & axis == K::cast_from(0u32) {
        axis <<= K::cast_from(1u32);
    }
    axis
}
