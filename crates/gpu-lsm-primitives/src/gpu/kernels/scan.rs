//! scan: the sum of all elements before each, and the sum of all at the end; sums that are too large stay at the largest.
//!
//! Input    numbers
//! Output   out: one longer than the input
//! Launch   one cube per tile of ITEMS times its units elements; the last tile may be partial
//! Steps    1. sum each tile   2. scan the sums, by these steps again where they are more than a tile
//!          3. scan each tile, starting at its sum
//! Cost     reads the input three times, writes the output once
//! Twin     host/scan.rs

use crate::tuning::ITEMS;
use cubecl::prelude::*;

/// Step 1.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn scan_reduce(numbers: &[u32], sums: &mut [u32], #[comptime] units: u32) {
    let mut shared = Shared::<[u32]>::new_slice(comptime!(units as usize));
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

/// Step 3.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn scan_apply(numbers: &[u32], starts: &[u32], out: &mut [u32], #[comptime] units: u32) {
    let mut shared = Shared::<[u32]>::new_slice(comptime!(units as usize));
    let start = CUBE_POS * comptime!((units * ITEMS) as usize) + (UNIT_POS * ITEMS) as usize;
    let mut mine = 0u32;
    for item in 0..ITEMS {
        let i = start + item as usize;
        if i < numbers.len() {
            mine = saturating_sum(mine, numbers[i]);
        }
    }
    let mut sum = sum_before(&mut shared, mine, units);
    if start < numbers.len() {
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
#[cube]
fn sum_before(shared: &mut [u32], mine: u32, #[comptime] units: u32) -> u32 {
    let unit = UNIT_POS as usize;
    shared[unit] = mine;
    sync_cube();
    let mut reach = 1u32;
    while reach < units {
        let mut below = 0u32;
        if UNIT_POS >= reach {
            below = shared[(UNIT_POS - reach) as usize];
        }
        sync_cube();
        shared[unit] = saturating_sum(shared[unit], below);
        sync_cube();
        reach *= 2;
    }
    let mut before = 0u32;
    if UNIT_POS > 0 {
        before = shared[unit - 1];
    }
    before
}

/// The sum, or the largest number where the sum is larger.
#[cube]
fn saturating_sum(a: u32, b: u32) -> u32 {
    a + min(b, u32::MAX - a)
}
