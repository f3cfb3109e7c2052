//! `validate` in staged tiles. One shared array has the tile's queries, and then its keys, each behind that of the
//! candidate before the tile.

use crate::gpu::kernels::baselines::shared::query_at;
use crate::gpu::kernels::shared::compacting::{Part, move_together, put_positions};
use crate::gpu::kernels::shared::staging::{staged_at, tile_len};
use crate::gpu::kernels::shared::summing::{sum_before, sums_len};
use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

/// The bytes of shared memory of a cube.
pub(crate) fn shared_bytes(units: u32) -> u32 {
    (tile_len(units) + 1 + sums_len(units)) * 4
}

/// Step 1.
#[cube]
pub(super) fn validate(
    keys: &[u32],
    list_of: &[u32],
    kept: &mut [u32],
    counts: &mut [Atomic<u32>],
    lists: u32,
    #[comptime] units: u32,
) {
    let mut tile = Shared::<[u32]>::new_slice(comptime!(tile_len(units) as usize + 1));
    let mut sums = Shared::<[u32]>::new_slice(comptime!(sums_len(units) as usize));
    let mut queries = Array::<u32>::new(comptime!(STAGED_ITEMS as usize));
    let valid = valid_of_unit(keys, list_of, lists, &mut tile, &mut queries, units);
    let mut query = queries[0];
    let mut of_query = 0u32;
    #[unroll]
    for item in 0..STAGED_ITEMS {
        if (valid >> item) & 1 == 1 {
            if queries[item as usize] != query {
                if of_query > 0 {
                    counts[query as usize].fetch_add(of_query);
                }
                of_query = 0u32.runtime();
                query = queries[item as usize];
            }
            of_query += 1;
        }
    }
    if of_query > 0 && (query as usize) < counts.len() {
        counts[query as usize].fetch_add(of_query);
    }
    let before = sum_before(&mut sums, valid.count_ones(), units);
    if UNIT_POS == units - 1 && CUBE_POS < kept.len() {
        kept[CUBE_POS] = before + valid.count_ones();
    }
}

/// Step 3.
#[cube]
pub(super) fn compact(
    keys: &[u32],
    values: &[u32],
    list_of: &[u32],
    offsets: &[u32],
    out_keys: &mut [u32],
    out_values: &mut [u32],
    lists: u32,
    shift: u32,
    #[comptime] units: u32,
) {
    let mut tile = Shared::<[u32]>::new_slice(comptime!(tile_len(units) as usize + 1));
    let mut sums = Shared::<[u32]>::new_slice(comptime!(sums_len(units) as usize));
    let mut queries = Array::<u32>::new(comptime!(STAGED_ITEMS as usize));
    let valid = valid_of_unit(keys, list_of, lists, &mut tile, &mut queries, units);
    let before = sum_before(&mut sums, valid.count_ones(), units);
    let mut part = Part { start: 0u32, len: 0u32 };
    if CUBE_POS + 1 < offsets.len() {
        part.start = offsets[CUBE_POS];
        part.len = offsets[CUBE_POS + 1] - part.start;
    }
    move_together::<u32>(&mut tile, 1, valid, before);
    for round in 0..part.rounds(units) {
        let at = part.element(round, units);
        if part.has(at) {
            out_keys[at as usize] = tile[(at - part.start) as usize] >> shift;
        }
    }
    sync_cube();
    put_positions::<u32>(&mut tile, valid, before);
    let first = CUBE_POS as u32 * comptime!(tile_len(units));
    for round in 0..part.rounds(units) {
        let at = part.element(round, units);
        if part.has(at) {
            out_values[at as usize] = values[(first + tile[(at - part.start) as usize]) as usize];
        }
    }
}

/// One bit for each of the unit's candidates, set if it is valid; and their queries. The tile keeps the keys.
#[cube]
fn valid_of_unit(
    keys: &[u32],
    list_of: &[u32],
    lists: u32,
    tile: &mut [u32],
    queries: &mut Array<u32>,
    #[comptime] units: u32,
) -> u32 {
    let start = CUBE_POS * comptime!(tile_len(units) as usize);
    let mine = (UNIT_POS * STAGED_ITEMS) as usize;
    #[unroll]
    for item in 0..comptime!(STAGED_ITEMS + 1) {
        let k = staged_at(item, units);
        if k <= comptime!(tile_len(units) as usize) && start + k > 0 {
            tile[k] = query_at(list_of, lists, start + k - 1);
        }
    }
    sync_cube();
    let mut is_same_query = 0u32;
    #[unroll]
    for item in 0..STAGED_ITEMS {
        let k = mine + item as usize;
        let query = tile[k + 1];
        queries[item as usize] = query;
        is_same_query |= u32::cast_from(start + k > 0 && tile[k] == query) << item;
    }
    sync_cube();
    #[unroll]
    for item in 0..comptime!(STAGED_ITEMS + 1) {
        let k = staged_at(item, units);
        if k <= comptime!(tile_len(units) as usize) && start + k > 0 && start + k <= keys.len() {
            tile[k] = keys[start + k - 1];
        }
    }
    sync_cube();
    let mut valid = 0u32;
    #[unroll]
    for item in 0..STAGED_ITEMS {
        let k = mine + item as usize;
        if start + k < keys.len() {
            let key = tile[k + 1];
            let is_stale = (is_same_query >> item) & 1 == 1 && tile[k] >> 1 == key >> 1;
            valid |= u32::cast_from(key & 1 == 1 && !is_stale) << item;
        }
    }
    valid
}
