//! sort: keys with their positions, ascending, stable: a radix sort from the lowest digit up.
//!
//! Input    keys, positions: in any order
//! Output   out_keys, out_positions: ordered by one digit more
//! Launch   one cube per tile of ITEMS times its units keys; the last tile may be partial
//! Steps    for each digit: 1. count each tile's digits   2. scan the counts, all tiles of the lowest digit first
//!          3. each key moves to its digit's start plus the number of equal digits before it in the tile
//! Cost     a pass reads the keys twice and the positions once, and writes both once; bits / DIGIT_BITS passes
//! Twin     host/sort.rs      Source  Satish, Harris, Garland 2009

use super::scan::sum_before;
use crate::tuning::{DIGITS, ITEMS};
use cubecl::prelude::*;

/// Step 1. `counts` has all tiles of digit 0, then all tiles of digit 1, and so on.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn sort_count<K: Int>(
    keys: &[K],
    counts: &mut [u32],
    shift: u32,
    tiles: u32,
    #[comptime] units: u32,
) {
    let bins = Shared::<[Atomic<u32>]>::new_slice(DIGITS as usize);
    if UNIT_POS < DIGITS {
        bins[UNIT_POS as usize].store(0);
    }
    sync_cube();
    let start = CUBE_POS * comptime!((units * ITEMS) as usize) + UNIT_POS as usize;
    for item in 0..ITEMS {
        let i = start + (item * units) as usize;
        if i < keys.len() {
            bins[digit::<K>(keys[i], shift) as usize].fetch_add(1);
        }
    }
    sync_cube();
    if UNIT_POS < DIGITS && (CUBE_POS as u32) < tiles {
        counts[(UNIT_POS * tiles) as usize + CUBE_POS] = bins[UNIT_POS as usize].load();
    }
}

/// Step 3. In the first pass a key's position is its index, and `positions` is not read.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn sort_scatter<K: Int>(
    keys: &[K],
    positions: &[u32],
    offsets: &[u32],
    out_keys: &mut [K],
    out_positions: &mut [u32],
    shift: u32,
    tiles: u32,
    #[comptime] units: u32,
) {
    let mut ranks = Shared::<[u32]>::new_slice(comptime!((DIGITS * units) as usize));
    let mut starts = Shared::<[u32]>::new_slice(DIGITS as usize);
    let mut shared = Shared::<[u32]>::new_slice(comptime!(units as usize));
    let unit = UNIT_POS as usize;
    let start = CUBE_POS * comptime!((units * ITEMS) as usize) + (UNIT_POS * ITEMS) as usize;

    // How often each unit has each digit: all units of digit 0, then all units of digit 1, and so on.
    for d in 0..DIGITS {
        ranks[(d * units) as usize + unit] = 0;
    }
    for item in 0..ITEMS {
        let i = start + item as usize;
        if i < keys.len() {
            ranks[(digit::<K>(keys[i], shift) * units) as usize + unit] += 1;
        }
    }
    sync_cube();

    // The sums of those counts before each, so that they say where in the tile a unit's keys of a digit go.
    let mut mine = 0u32;
    for d in 0..DIGITS {
        mine += ranks[(UNIT_POS * DIGITS + d) as usize];
    }
    let mut sum = sum_before(&mut shared, mine, units);
    for d in 0..DIGITS {
        let r = (UNIT_POS * DIGITS + d) as usize;
        let count = ranks[r];
        ranks[r] = sum;
        sum += count;
    }
    sync_cube();

    // Where in the output the tile's keys of a digit start, less where they start in the tile.
    if UNIT_POS < DIGITS && (CUBE_POS as u32) < tiles {
        starts[unit] = offsets[(UNIT_POS * tiles) as usize + CUBE_POS] - ranks[(UNIT_POS * units) as usize];
    }
    sync_cube();

    for item in 0..ITEMS {
        let i = start + item as usize;
        if i < keys.len() {
            let key = keys[i];
            let d = digit::<K>(key, shift);
            let r = (d * units) as usize + unit;
            let out = (starts[d as usize] + ranks[r]) as usize;
            ranks[r] += 1;
            out_keys[out] = key;
            if shift == 0 {
                out_positions[out] = i as u32;
            } else {
                out_positions[out] = positions[i];
            }
        }
    }
}

#[cube]
fn digit<K: Int>(key: K, shift: u32) -> u32 {
    u32::cast_from((key >> K::cast_from(shift)) & K::cast_from(DIGITS - 1))
}
