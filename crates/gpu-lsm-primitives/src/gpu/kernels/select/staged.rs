//! `select` in staged tiles. The keys of a tile are in shared memory, and behind them the first key of the next tile.

use super::kept::{bits_of, stays};
use crate::gpu::axes::Tiles;
use crate::gpu::kernels::shared::compacting::{Part, move_together, put_positions};
use crate::gpu::kernels::shared::marks::mark_at;
use crate::gpu::kernels::shared::staging::{staged_at, tile_len};
use crate::gpu::kernels::shared::summing::{sum_before, sums_len};
use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

/// The bytes of shared memory of a cube, for keys of `bits` bits.
pub(crate) fn shared_bytes(units: u32, bits: u32) -> u32 {
    (tile_len(units) + 1) * bits / 8 + sums_len(units) * 4
}

/// Step 1. A sum over the units has what they keep in its lower half, and how many of these are marked in its upper one.
#[cube]
pub(super) fn count<K: Int>(
    keys: &[K],
    dropped: &[u32],
    marks: &[u32],
    offsets: &[u32],
    kept: &mut [u32],
    kept_marks: &mut [u32],
    before: &mut [u32],
    #[comptime] lists: bool,
    #[comptime] units: u32,
) {
    let mut tile = Shared::<[K]>::new_slice(comptime!(tile_len(units) as usize + 1));
    let mut sums = Shared::<[u32]>::new_slice(comptime!(sums_len(units) as usize));
    stage::<K>(keys, &mut tile, units);
    let stays = stays_of_unit::<K>(keys, &tile, dropped, offsets, lists, units);
    let mut mine = stays.count_ones();
    if stays > 0 && CUBE_POS < kept_marks.len() {
        let start = ABSOLUTE_POS * STAGED_ITEMS as usize;
        let end = min(start + STAGED_ITEMS as usize, keys.len());
        mine |= (stays & bits_of(marks, start, end, Tiles::Staged)).count_ones() << 16;
    }
    let earlier = sum_before(&mut sums, mine, units);
    if ABSOLUTE_POS < before.len() {
        before[ABSOLUTE_POS] = earlier & 0xffff;
    }
    if UNIT_POS == units - 1 && CUBE_POS < kept.len() {
        kept[CUBE_POS] = (earlier + mine) & 0xffff;
        if CUBE_POS < kept_marks.len() {
            kept_marks[CUBE_POS] = (earlier + mine) >> 16;
        }
    }
}

/// Step 3.
#[cube]
pub(super) fn write<K: Int>(
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
) {
    let mut tile = Shared::<[K]>::new_slice(comptime!(tile_len(units) as usize + 1));
    let mut sums = Shared::<[u32]>::new_slice(comptime!(sums_len(units) as usize));
    stage::<K>(keys, &mut tile, units);
    let stays = stays_of_unit::<K>(keys, &tile, dropped, offsets, lists, units);
    let before = sum_before(&mut sums, stays.count_ones(), units);
    if !marks {
        move_together::<K>(&mut tile, 0, stays, before);
    }
    let part = kept_part(starts, room);
    if !marks {
        for round in 0..part.rounds(units) {
            let at = part.element(round, units);
            if part.has(at) {
                out_keys[at as usize] = tile[(at - part.start) as usize];
            }
        }
    }
    if comptime!(words > 0) {
        if !marks {
            sync_cube();
        }
        put_positions::<K>(&mut tile, stays, before);
        let first = CUBE_POS as u32 * comptime!(tile_len(units));
        let part_words = Part { start: part.start * words, len: part.len * words };
        for round in 0..part_words.rounds(units) {
            let at = part_words.element(round, units);
            if part_words.has(at) {
                let word = at - part_words.start;
                let i = first + u32::cast_from(tile[(word / words) as usize]);
                if marks {
                    out_values[at as usize] = mark_at(values, i);
                } else {
                    out_values[at as usize] = values[(i * words + word % words) as usize];
                }
            }
        }
    }
}

/// Brings the tile's keys to shared memory, and waits.
#[cube]
fn stage<K: Int>(keys: &[K], tile: &mut [K], #[comptime] units: u32) {
    let start = CUBE_POS * comptime!(tile_len(units) as usize);
    #[unroll]
    for item in 0..STAGED_ITEMS {
        let k = staged_at(item, units);
        if start + k < keys.len() {
            tile[k] = keys[start + k];
        }
    }
    let end = comptime!(tile_len(units) as usize);
    if UNIT_POS == 0 && start + end < keys.len() {
        tile[end] = keys[start + end];
    }
    sync_cube();
}

/// One bit for each of the unit's keys, set if it stays.
#[cube]
fn stays_of_unit<K: Int>(
    keys: &[K],
    tile: &[K],
    dropped: &[u32],
    offsets: &[u32],
    #[comptime] lists: bool,
    #[comptime] units: u32,
) -> u32 {
    let first = CUBE_POS * comptime!(tile_len(units) as usize);
    let start = first + (UNIT_POS * STAGED_ITEMS) as usize;
    let mut mine = 0u32;
    if start < keys.len() {
        let end = min(start + STAGED_ITEMS as usize, keys.len());
        mine = stays::<K>(tile, first, keys.len(), dropped, offsets, start, end, lists, Tiles::Staged);
    }
    mine
}

/// The part of the output that the cube writes.
#[cube]
fn kept_part(starts: &[u32], room: u32) -> Part {
    let mut start = room;
    let mut end = room;
    if CUBE_POS + 1 < starts.len() {
        start = min(starts[CUBE_POS], room);
        end = min(starts[CUBE_POS + 1], room);
    }
    Part { start, len: end - start }
}
