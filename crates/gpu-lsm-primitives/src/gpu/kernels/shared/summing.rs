//! Sums over the units of a cube. A sum that does not fit 32 bits becomes the largest number.

use crate::tuning::SCAN_GROUP;
use cubecl::prelude::*;

/// The length of the shared array for [`sum_before`].
pub(crate) fn sums_len(units: u32) -> u32 {
    units + units / SCAN_GROUP
}

/// The sum of `mine` over all units of the cube before this one. All units of the cube must call it.
///
/// It sums groups of units, and then within groups. The usual way with doubling distances would take 17 barriers
/// instead of two.
#[cube]
pub(crate) fn sum_before(shared: &mut [u32], mine: u32, #[comptime] units: u32) -> u32 {
    shared[UNIT_POS as usize] = mine;
    sync_cube();
    if UNIT_POS < comptime!(units / SCAN_GROUP) {
        let start = UNIT_POS * SCAN_GROUP;
        shared[(units + UNIT_POS) as usize] = sum_of(&*shared, start, start + SCAN_GROUP);
    }
    sync_cube();
    let group = UNIT_POS / SCAN_GROUP;
    let groups_before = sum_of(&*shared, units, units + group);
    saturating_sum(groups_before, sum_of(&*shared, group * SCAN_GROUP, UNIT_POS))
}

/// The sum of the elements from `start` up to, but not including, `end`.
#[cube]
pub(crate) fn sum_of(numbers: &[u32], start: u32, end: u32) -> u32 {
    let mut sum = 0u32;
    for i in start..end {
        sum = saturating_sum(sum, numbers[i as usize]);
    }
    sum
}

/// The sum, or the largest number if the sum does not fit.
#[cube]
pub(crate) fn saturating_sum(a: u32, b: u32) -> u32 {
    a + min(b, u32::MAX - a)
}
