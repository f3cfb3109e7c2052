//! scan: for each element the sum of all elements before it, and at the end the sum of all. A sum that does not fit 32
//! bits becomes the largest number.
//!
//! Input    numbers
//! Output   out: one element longer than the input
//! Launch   one cube per tile, which has ITEMS elements per unit; the last tile may be partial
//! Steps    1. sum each tile   2. scan the sums, with these steps again if they do not fit one tile
//!          3. scan each tile, starting at the sum of the tiles before it
//! Cost     reads the input three times, writes the output once
//! Twin     host/scan.rs

use crate::tuning::{ITEMS, SCAN_GROUP};
use cubecl::prelude::*;

/// Step 1.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn scan_reduce(numbers: &[u32], sums: &mut [u32], #[comptime] units: u32) {
    let mut shared = Shared::<[u32]>::new_slice(comptime!((units + units / SCAN_GROUP) as usize));
    let start = CUBE_POS * comptime!((units * ITEMS) as usize) + UNIT_POS as usize;
    let mut mine = 0u32;
    for item in 0..ITEMS {
        let i = start + (item * units) as usize;
        if i < numbers.len() {
            mine = saturating_sum(mine, numbers[i]);
        }
    }
    let before = sum_before(&mut shared, mine, units);
    if UNIT_POS == units - 1 && CUBE_POS < sums.len() {
        sums[CUBE_POS] = saturating_sum(before, mine);
    }
}

/// Step 3. `starts`: for each tile the sum of all tiles before it; absent if there is only one tile.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn scan_apply(numbers: &[u32], starts: &[u32], out: &mut [u32], #[comptime] units: u32) {
    let mut shared = Shared::<[u32]>::new_slice(comptime!((units + units / SCAN_GROUP) as usize));
    let start = CUBE_POS * comptime!((units * ITEMS) as usize) + (UNIT_POS * ITEMS) as usize;
    let mut mine = 0u32;
    for item in 0..ITEMS {
        let i = start + item as usize;
        if i < numbers.len() {
            mine = saturating_sum(mine, numbers[i]);
        }
    }
    let mut sum = sum_before(&mut shared, mine, units);
    if CUBE_POS < starts.len() {
        sum = saturating_sum(sum, starts[CUBE_POS]);
    }
    for item in 0..ITEMS {
        let i = start + item as usize;
        if i < numbers.len() {
            out[i] = sum;
            sum = saturating_sum(sum, numbers[i]);
            if i + 1 == numbers.len() {
                out[i + 1] = sum;
            }
        }
    }
}

/// The sum of `mine` over all units of the cube before this one. All units of the cube must call it.
///
/// It sums groups of units, and then within groups. The usual way with doubling distances would take 17 barriers
/// instead of two.
#[cube]
fn sum_before(shared: &mut [u32], mine: u32, #[comptime] units: u32) -> u32 {
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
fn sum_of(numbers: &[u32], start: u32, end: u32) -> u32 {
    let mut sum = 0u32;
    for i in start..end {
        sum = saturating_sum(sum, numbers[i as usize]);
    }
    sum
}

/// The sum, or the largest number if the sum does not fit.
#[cube]
fn saturating_sum(a: u32, b: u32) -> u32 {
    a + min(b, u32::MAX - a)
}
