//! sort: keys with their positions, ascending, stable: tiles are sorted, then merged in pairs.
//!
//! Input    keys, in any order; then keys with their positions, sorted in stretches of `width`
//! Output   out_keys, out_positions: sorted in stretches of a tile; then in stretches twice as long
//! Launch   1. one cube per tile, which has SORT_ITEMS keys per unit   2. one unit per MERGE_ITEMS keys; the last may
//!          have fewer
//! Steps    1. each unit sorts its keys in registers, then the cube merges them in pairs in shared memory
//!          2. find where the unit starts in both stretches (merge path), then step through them
//! Cost     each launch reads and writes every key and position once, except that the first reads no positions;
//!          1 + log2(keys / tile) launches, rounded up
//! Twin     host/sort.rs      Source  Green, McColl, Bader 2012

use super::shared::merging::{Heads, older_before};
use crate::tuning::{MERGE_ITEMS, SORT_ITEMS};
use cubecl::prelude::*;

/// Step 1. A partial tile is filled with the largest key. The filler's positions are larger than all others, so it
/// stays last.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn sort_tiles<K: Int>(
    keys: &[K],
    out_keys: &mut [K],
    out_positions: &mut [u32],
    #[comptime] units: u32,
) {
    let mut shared = Shared::<[K]>::new_slice(comptime!((units * SORT_ITEMS) as usize));
    let mut own_keys = Array::<K>::new(comptime!(SORT_ITEMS as usize));
    let mut own_positions = Array::<u32>::new(comptime!(SORT_ITEMS as usize));
    let tile = CUBE_POS * comptime!((units * SORT_ITEMS) as usize);
    let start = tile + (UNIT_POS * SORT_ITEMS) as usize;

    #[unroll]
    for item in 0..SORT_ITEMS {
        let at = start + item as usize;
        let mut key = K::max_value();
        if at < keys.len() {
            key = keys[at];
        }
        own_keys[item as usize] = key;
        own_positions[item as usize] = UNIT_POS * SORT_ITEMS + item;
    }
    sort_own::<K>(&mut own_keys, &mut own_positions);
    let mut width = SORT_ITEMS.runtime();
    while width < comptime!(units * SORT_ITEMS) {
        merge_in_tile::<K>(&mut shared, &mut own_keys, &mut own_positions, width, units);
        width *= 2;
    }
    #[unroll]
    for item in 0..SORT_ITEMS {
        let at = start + item as usize;
        if at < keys.len() {
            out_keys[at] = own_keys[item as usize];
            out_positions[at] = tile as u32 + own_positions[item as usize];
        }
    }
}

/// Sorts a unit's own keys by odd-even transposition: neighbours in the wrong order are swapped.
#[cube]
fn sort_own<K: Int>(keys: &mut Array<K>, positions: &mut Array<u32>) {
    #[unroll]
    for _ in 0..SORT_ITEMS / 2 {
        #[unroll]
        for pair in 0..SORT_ITEMS / 2 {
            order::<K>(keys, positions, 2 * pair);
        }
        #[unroll]
        for pair in 0..SORT_ITEMS / 2 - 1 {
            order::<K>(keys, positions, 2 * pair + 1);
        }
    }
}

#[cube]
fn order<K: Int>(keys: &mut Array<K>, positions: &mut Array<u32>, #[comptime] i: u32) {
    let (a, b) = (keys[i as usize], keys[(i + 1) as usize]);
    let (at_a, at_b) = (positions[i as usize], positions[(i + 1) as usize]);
    let swap = b < a;
    keys[i as usize] = select(swap, b, a);
    keys[(i + 1) as usize] = select(swap, a, b);
    positions[i as usize] = select(swap, at_b, at_a);
    positions[(i + 1) as usize] = select(swap, at_a, at_b);
}

/// Merges the tile's stretches of `width` in pairs. The keys move first, then their positions in the tile, through the
/// same shared memory, which allows tiles of twice the size. All units of the cube must call it.
#[cube]
fn merge_in_tile<K: Int>(
    shared: &mut [K],
    own_keys: &mut Array<K>,
    own_positions: &mut Array<u32>,
    width: u32,
    #[comptime] units: u32,
) {
    let start = UNIT_POS * SORT_ITEMS;
    #[unroll]
    for item in 0..SORT_ITEMS {
        shared[(start + item) as usize] = own_keys[item as usize];
    }
    sync_cube();
    let left = start & !(2 * width - 1);
    let right = left + width;
    let step = start - left;
    let taken = older_before::<K>(&*shared, &*shared, right, width, left, width, step);
    let mut i = left + taken;
    let mut j = right + step - taken;
    #[unroll]
    for item in 0..SORT_ITEMS {
        let a = shared[min(i, comptime!(units * SORT_ITEMS - 1)) as usize];
        let b = shared[min(j, comptime!(units * SORT_ITEMS - 1)) as usize];
        let takes_left = i < right && (j == right + width || a <= b);
        own_keys[item as usize] = select(takes_left, a, b);
        // The upper half holds where the key's position comes from: this saves registers.
        own_positions[item as usize] |= select(takes_left, i, j) << 16;
        i += u32::cast_from(takes_left);
        j += u32::cast_from(!takes_left);
    }
    sync_cube();
    #[unroll]
    for item in 0..SORT_ITEMS {
        shared[(start + item) as usize] = K::cast_from(own_positions[item as usize] & 0xffff);
    }
    sync_cube();
    #[unroll]
    for item in 0..SORT_ITEMS {
        own_positions[item as usize] = u32::cast_from(shared[(own_positions[item as usize] >> 16) as usize]);
    }
    sync_cube();
}

/// Step 2. `width` is a power of two, and a unit's keys never span two pairs of stretches.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn sort_merge<K: Int>(
    keys: &[K],
    positions: &[u32],
    out_keys: &mut [K],
    out_positions: &mut [u32],
    width: u32,
) {
    let len = keys.len() as u32;
    let start = min(ABSOLUTE_POS as u32 * MERGE_ITEMS, len);
    if start < len {
        let left = start - (start & (width + (width - 1)));
        let right = left + min(width, len - left);
        let right_len = min(width, len - right);
        let end = start + min(MERGE_ITEMS, right + right_len - start);
        let taken = older_before::<K>(keys, keys, right, right_len, left, right - left, start - left);
        // The left stretch came first, so it takes the part of the older list.
        let mut heads = Heads::<K>::at(keys, keys, right + (start - left) - taken, left + taken);
        for at in start..end {
            let is_left = heads.is_older_next(right + right_len, right);
            out_keys[at as usize] = heads.key(is_left);
            out_positions[at as usize] = positions[heads.place(is_left) as usize];
            heads.advance(keys, keys, is_left);
        }
    }
}
