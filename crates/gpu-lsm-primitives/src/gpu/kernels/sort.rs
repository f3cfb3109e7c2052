//! sort: keys with their positions, ascending, stable: tiles are sorted, then merged, two or four at a time.
//!
//! Input    keys, in any order; then keys with their positions, sorted in stretches of `width`
//! Output   out_keys, out_positions: sorted in stretches of a tile; then in stretches two or four times as long
//! Launch   1. one cube per tile, which has a few keys per unit: `sort_items`   2. direct: one unit per MERGE_ITEMS keys;
//!          staged: for each pair of stretches, or for each four, as many cubes as it has tiles
//! Steps    1. each unit sorts its keys in registers, then the cube merges them in pairs in shared memory
//!          2. as in a merge
//! Cost     each launch reads and writes every key and position once, except that the first reads no positions; direct:
//!          1 + log2(keys / tile) launches, rounded up; staged: half as many merges
//! Twin     host/sort.rs      Source  Green, McColl, Bader 2012

mod four;

use super::shared::merging::{Heads, key_at, older_before};
use super::shared::staged_merging::{MergeTile, Stretches, notes_len, staged_len};
use super::shared::staging::{noted, staged_at, tile_len};
use crate::code::KeyWidth;
use crate::gpu::axes::Tiles;
use crate::tuning::{MERGE_ITEMS, SORT_ITEMS, STAGED_ITEMS, STAGED_SORT_ITEMS_U32, STAGED_SORT_ITEMS_U64};
use cubecl::prelude::*;
pub(crate) use four::sort_merge_four;

/// The number of keys that one unit sorts on its own.
pub(crate) fn sort_items(key: KeyWidth, tiles: Tiles) -> u32 {
    match (tiles, key) {
        (Tiles::Direct, _) => SORT_ITEMS,
        (Tiles::Staged, KeyWidth::U32) => STAGED_SORT_ITEMS_U32,
        (Tiles::Staged, KeyWidth::U64) => STAGED_SORT_ITEMS_U64,
    }
}

/// Step 1. A partial tile is filled with the largest key. The filler's positions are larger than all others, so it
/// stays last.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn sort_tiles<K: Int>(
    keys: &[K],
    out_keys: &mut [K],
    out_positions: &mut [u32],
    #[comptime] units: u32,
    #[comptime] items: u32,
    #[comptime] tiles: Tiles,
) {
    let mut shared = Shared::<[K]>::new_slice(comptime!((units * items) as usize));
    let mut own_keys = Array::<K>::new(comptime!(items as usize));
    let mut own_positions = Array::<u32>::new(comptime!(items as usize));
    let tile = CUBE_POS * comptime!((units * items) as usize);
    let first = UNIT_POS * items;
    if comptime!(tiles == Tiles::Staged) {
        let mut k = UNIT_POS;
        while k < comptime!(units * items) {
            shared[k as usize] = key_at::<K>(keys, tile as u32 + k);
            k += units;
        }
        sync_cube();
    }
    #[unroll]
    for item in 0..items {
        if comptime!(tiles == Tiles::Staged) {
            own_keys[item as usize] = shared[(first + item) as usize];
        } else {
            own_keys[item as usize] = key_at::<K>(keys, tile as u32 + (first + item));
        }
        own_positions[item as usize] = first + item;
    }
    sort_own::<K>(&mut own_keys, &mut own_positions, items);
    let mut sorted = 1u32;
    while sorted < units {
        merge_in_tile::<K>(&mut shared, &mut own_keys, &mut own_positions, sorted, units, items);
        sorted *= 2;
    }
    if comptime!(tiles == Tiles::Staged) {
        #[unroll]
        for item in 0..items {
            shared[(first + item) as usize] = own_keys[item as usize];
        }
        sync_cube();
        let count = min(comptime!(units * items), (keys.len() - min(tile, keys.len())) as u32);
        let mut k = UNIT_POS;
        while k < count {
            out_keys[tile + k as usize] = shared[k as usize];
            k += units;
        }
        sync_cube();
        #[unroll]
        for item in 0..items {
            shared[(first + item) as usize] = K::cast_from(own_positions[item as usize]);
        }
        sync_cube();
        k = UNIT_POS;
        while k < count {
            out_positions[tile + k as usize] = tile as u32 + u32::cast_from(shared[k as usize]);
            k += units;
        }
    } else {
        #[unroll]
        for item in 0..items {
            let at = tile + (first + item) as usize;
            if at < keys.len() {
                out_keys[at] = own_keys[item as usize];
                out_positions[at] = tile as u32 + own_positions[item as usize];
            }
        }
    }
}

/// Sorts a unit's own keys by odd-even transposition: neighbours in the wrong order are swapped.
#[cube]
fn sort_own<K: Int>(keys: &mut Array<K>, positions: &mut Array<u32>, #[comptime] items: u32) {
    #[unroll]
    for _ in 0..comptime!(items.div_ceil(2)) {
        #[unroll]
        for pair in 0..comptime!(items / 2) {
            order::<K>(keys, positions, 2 * pair);
        }
        #[unroll]
        for pair in 0..comptime!((items - 1) / 2) {
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

/// Merges the tile's stretches, each sorted by `sorted` units, in pairs. The keys move first, then their positions in the
/// tile, through the same shared memory, which allows tiles of twice the size. All units of the cube must call it.
#[cube]
fn merge_in_tile<K: Int>(
    shared: &mut [K],
    own_keys: &mut Array<K>,
    own_positions: &mut Array<u32>,
    sorted: u32,
    #[comptime] units: u32,
    #[comptime] items: u32,
) {
    let start = UNIT_POS * items;
    #[unroll]
    for item in 0..items {
        shared[(start + item) as usize] = own_keys[item as usize];
    }
    sync_cube();
    let width = sorted * items;
    let left = (UNIT_POS & !(2 * sorted - 1)) * items;
    let right = left + width;
    let step = start - left;
    let taken = older_before::<K>(&*shared, &*shared, right, width, left, width, step);
    let mut i = left + taken;
    let mut j = right + step - taken;
    let mut a = shared[i as usize];
    let mut b = shared[min(j, comptime!(units * items - 1)) as usize];
    #[unroll]
    for item in 0..items {
        let takes_left = i < right && (j == right + width || a <= b);
        own_keys[item as usize] = select(takes_left, a, b);
        // The upper half holds where the key's position comes from: this saves registers.
        own_positions[item as usize] |= select(takes_left, i, j) << 16;
        i += u32::cast_from(takes_left);
        j += u32::cast_from(!takes_left);
        let next = shared[min(select(takes_left, i, j), comptime!(units * items - 1)) as usize];
        a = select(takes_left, next, a);
        b = select(takes_left, b, next);
    }
    sync_cube();
    #[unroll]
    for item in 0..items {
        shared[(start + item) as usize] = K::cast_from(own_positions[item as usize] & 0xffff);
    }
    sync_cube();
    #[unroll]
    for item in 0..items {
        own_positions[item as usize] = u32::cast_from(shared[(own_positions[item as usize] >> 16) as usize]);
    }
    sync_cube();
}

/// Step 2. Direct: `width` is a power of two, and a unit's keys never span two pairs of stretches. The left stretch came
/// first, so it takes the part of the older list.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn sort_merge<K: Int>(
    keys: &[K],
    positions: &[u32],
    out_keys: &mut [K],
    out_positions: &mut [u32],
    width: u32,
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    let len = keys.len() as u32;
    if comptime!(tiles == Tiles::Staged) {
        let mut staged = Shared::<[K]>::new_slice(comptime!(staged_len(units) as usize));
        let mut notes = Shared::<[u32]>::new_slice(comptime!(notes_len(units) as usize));
        // As many cubes as a pair has tiles. Twice the width may not fit 32 bits.
        let cubes = (width - 1) / comptime!(tile_len(units) / 2) + 1;
        let left = min(CUBE_POS as u32 / cubes * 2 * width, len);
        let right = left + min(width, len - left);
        let stretches = Stretches {
            newer: right,
            newer_len: min(width, len - right),
            older: left,
            older_len: right - left,
            out: left,
        };
        let start = left + CUBE_POS as u32 % cubes * comptime!(tile_len(units));
        let tile = MergeTile::find::<K>(keys, keys, &stretches, start, &mut notes, units, 0u32);
        tile.stage::<K>(keys, keys, &mut staged);
        sync_cube();
        tile.merge::<K>(&staged, &mut notes, false);
        sync_cube();
        // In one loop: two would spill registers.
        for item in 0..STAGED_ITEMS {
            let k = staged_at(item, units) as u32;
            if k < tile.len {
                let (is_older, before) = noted(&notes, k);
                let at = (tile.start + k) as usize;
                out_keys[at] = tile.key::<K>(&staged, is_older, k, before);
                out_positions[at] = positions[tile.source(is_older, k, before) as usize];
            }
        }
    } else {
        let start = min(ABSOLUTE_POS as u32 * MERGE_ITEMS, len);
        if start < len {
            let left = start - (start & (width + (width - 1)));
            let right = left + min(width, len - left);
            let right_len = min(width, len - right);
            let end = start + min(MERGE_ITEMS, right + right_len - start);
            let taken = older_before::<K>(keys, keys, right, right_len, left, right - left, start - left);
            let mut heads = Heads::<K>::at(keys, keys, right + (start - left) - taken, left + taken);
            for at in start..end {
                let is_left = heads.is_older_next(right + right_len, right);
                out_keys[at as usize] = heads.key(is_left);
                out_positions[at as usize] = positions[heads.place(is_left) as usize];
                heads.advance(keys, keys, is_left);
            }
        }
    }
}
