//! select: keeps the last of equal keys, unless it is marked to be dropped; in one list, or in one list per query.
//!
//! Input    keys: ascending within each list, with their values as words; dropped: one bit per key, set if it is to be
//!          dropped, or none; offsets: where each query's keys start, and where the last one's end; absent if all keys
//!          are one list
//! Output   out_keys: strictly ascending within each list, and out_values; or marks alone. At most as many as there is
//!          room for
//! Launch   direct: one unit per ITEMS keys; staged: one cube per tile; for the new offsets, one unit per query and one
//!          more
//! Steps    1. count what each unit keeps or, in staged tiles, each cube   2. scan the counts   3. write
//! Cost     reads the keys twice and the values once, writes what stays once; for marks reads the keys once more
//! Twin     host/select.rs

mod kept;
mod staged;

use super::shared::marks::mark_at;
use super::shared::values::copy_value;
use crate::gpu::axes::Tiles;
use crate::tuning::ITEMS;
use cubecl::prelude::*;
use kept::{bits_of, stays};

pub(crate) use staged::shared_bytes;

/// Step 1. `marks`: one bit per key, set for tombstones, or none. `kept_marks`: the number of tombstones that are kept.
/// `before`: for each unit of staged tiles, how many keys the units before it in its cube keep; or absent.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn select_count<K: Int>(
    keys: &[K],
    dropped: &[u32],
    marks: &[u32],
    offsets: &[u32],
    kept: &mut [u32],
    kept_marks: &mut [u32],
    before: &mut [u32],
    #[comptime] lists: bool,
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    if comptime!(tiles == Tiles::Staged) {
        staged::count::<K>(keys, dropped, marks, offsets, kept, kept_marks, before, lists, units);
    } else {
        let start = ABSOLUTE_POS * ITEMS as usize;
        if start < keys.len() {
            let end = min(start + ITEMS as usize, keys.len());
            let stays = stays::<K>(keys, 0, keys.len(), dropped, offsets, start, end, lists, tiles);
            kept[ABSOLUTE_POS] = stays.count_ones();
            if ABSOLUTE_POS < kept_marks.len() {
                kept_marks[ABSOLUTE_POS] = (stays & bits_of(marks, start, end, tiles)).count_ones();
            }
        }
    }
}

/// Step 3. `starts`: for each unit the number of keys that all units before it keep; the same for each cube of staged
/// tiles. `room`: the length of the outputs. With `marks`, `values` has one bit per key. Each that stays becomes a word,
/// and no keys are written.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn select_write<K: Int>(
    keys: &[K],
    values: &[u32],
    dropped: &[u32],
    offsets: &[u32],
    starts: &[u32],
    out_keys: &mut [K],
    out_values: &mut [u32],
    room: u32,
    #[comptime] words: u32,
    #[comptime] lists: bool,
    #[comptime] marks: bool,
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    if comptime!(tiles == Tiles::Staged) {
        staged::write::<K>(
            keys, values, dropped, offsets, starts, out_keys, out_values, room, words, lists, marks, units,
        );
    } else {
        let start = ABSOLUTE_POS * ITEMS as usize;
        if start < keys.len() {
            let end = min(start + ITEMS as usize, keys.len());
            let stays = stays::<K>(keys, 0, keys.len(), dropped, offsets, start, end, lists, tiles);
            let mut out = starts[ABSOLUTE_POS];
            for item in 0..ITEMS {
                if (stays >> item) & 1 == 1 && out < room {
                    let i = start + item as usize;
                    if marks {
                        out_values[out as usize] = mark_at(values, i as u32);
                    } else {
                        out_keys[out as usize] = keys[i];
                        copy_value(values, i as u32, out_values, out, words);
                    }
                    out += 1;
                }
            }
        }
    }
}

/// Where each query's keys start after the selection.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn select_offsets<K: Int>(
    keys: &[K],
    dropped: &[u32],
    offsets: &[u32],
    starts: &[u32],
    before: &[u32],
    out_offsets: &mut [u32],
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    let q = ABSOLUTE_POS;
    if q < offsets.len() {
        let items = comptime!(tiles.items(ITEMS) as usize);
        let end = offsets[q] as usize;
        let unit = end / items;
        let start = unit * items;
        let mut kept = starts[starts.len() - 1];
        if comptime!(tiles == Tiles::Direct) {
            kept = starts[unit];
        } else if unit < before.len() {
            kept = starts[unit / units as usize] + before[unit];
        }
        if start < end {
            kept += stays::<K>(keys, 0, keys.len(), dropped, offsets, start, end, true, tiles).count_ones();
        }
        out_offsets[q] = kept;
    }
}
