//! scan: for each element the sum of all elements before it, and at the end the sum of all. A sum that does not fit 32
//! bits becomes the largest number.
//!
//! Input    numbers
//! Output   out: one element longer than the input
//! Launch   one cube per tile; the last tile may be partial
//! Steps    1. sum each tile   2. scan the sums, with these steps again if they do not fit one tile
//!          3. scan each tile, starting at the sum of the tiles before it
//! Cost     direct: reads the input three times, writes the output once; staged: reads it twice
//! Twin     host/scan.rs

use super::shared::staging::{staged_at, tile_len};
use super::shared::summing::{saturating_sum, sum_before, sum_of, sums_len};
use crate::gpu::axes::Tiles;
use crate::tuning::{ITEMS, STAGED_ITEMS};
use cubecl::prelude::*;

/// Step 1.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn scan_reduce(
    numbers: &[u32],
    sums: &mut [u32],
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    let items = comptime!(tiles.items(ITEMS));
    let mut shared = Shared::<[u32]>::new_slice(comptime!(sums_len(units) as usize));
    let start = CUBE_POS * comptime!((units * items) as usize) + UNIT_POS as usize;
    let mut mine = 0u32;
    for item in 0..items {
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
pub(crate) fn scan_apply(
    numbers: &[u32],
    starts: &[u32],
    out: &mut [u32],
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    if comptime!(tiles == Tiles::Staged) {
        apply_staged(numbers, starts, out, units);
    } else {
        apply_direct(numbers, starts, out, units);
    }
}

#[cube]
fn apply_direct(numbers: &[u32], starts: &[u32], out: &mut [u32], #[comptime] units: u32) {
    let mut shared = Shared::<[u32]>::new_slice(comptime!(sums_len(units) as usize));
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

#[cube]
fn apply_staged(numbers: &[u32], starts: &[u32], out: &mut [u32], #[comptime] units: u32) {
    let len = comptime!(tile_len(units));
    let mut tile = Shared::<[u32]>::new_slice(comptime!(len as usize));
    let mut shared = Shared::<[u32]>::new_slice(comptime!(sums_len(units) as usize));
    let start = CUBE_POS * comptime!(len as usize);
    #[unroll]
    for item in 0..STAGED_ITEMS {
        let k = staged_at(item, units);
        let mut number = 0u32;
        if start + k < numbers.len() {
            number = numbers[start + k];
        }
        tile[k] = number;
    }
    sync_cube();
    let first = UNIT_POS * STAGED_ITEMS;
    let mine = sum_of(&tile, first, first + STAGED_ITEMS);
    let mut sum = sum_before(&mut shared, mine, units);
    if CUBE_POS < starts.len() {
        sum = saturating_sum(sum, starts[CUBE_POS]);
    }
    #[unroll]
    for item in 0..STAGED_ITEMS {
        let k = (first + item) as usize;
        let number = tile[k];
        tile[k] = sum;
        sum = saturating_sum(sum, number);
    }
    if UNIT_POS == units - 1 && start + comptime!(len as usize) == numbers.len() {
        out[numbers.len()] = sum;
    }
    sync_cube();
    #[unroll]
    for item in 0..STAGED_ITEMS {
        let k = staged_at(item, units);
        // The sum of all stands behind the last element, unless that is the last of its tile.
        if start < numbers.len() && start + k <= numbers.len() {
            out[start + k] = tile[k];
        }
    }
}
