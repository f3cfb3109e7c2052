//! validate: finds the valid candidates, and copies them. Valid is the first entry of each key of a query, unless it is
//! a tombstone.
//!
//! Input    keys, values: candidates, those of a query together and in order; list_of: for each position, the list that
//!          was there at first, counted over all queries, `lists` per query; or none, if all belong to one query
//! Output   counts: the number of valid candidates of each query, added to the previous content; kept: the same for
//!          each unit or, in staged tiles, for each cube; or the valid candidates, with key variables shifted right by
//!          `shift`
//! Launch   direct: one unit per ITEMS candidates; staged: one cube per tile of candidates
//! Steps    1. count   2. scan the counts of the units or cubes   3. write
//! Cost     reads keys and lists twice, values once, writes the result once
//! Twin     host/baselines/validate.rs      Source  paper, sections 4.3 and 4.4, step 5

mod staged;

use super::shared::query_at;
use crate::gpu::axes::Tiles;
use crate::tuning::ITEMS;
use cubecl::prelude::*;

pub(crate) use staged::shared_bytes;

/// Step 1.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn validate(
    keys: &[u32],
    list_of: &[u32],
    kept: &mut [u32],
    counts: &mut [Atomic<u32>],
    lists: u32,
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    if comptime!(tiles == Tiles::Staged) {
        staged::validate(keys, list_of, kept, counts, lists, units);
    } else {
        validate_direct(keys, list_of, kept, counts, lists);
    }
}

#[cube]
fn validate_direct(keys: &[u32], list_of: &[u32], kept: &mut [u32], counts: &mut [Atomic<u32>], lists: u32) {
    let start = ABSOLUTE_POS * ITEMS as usize;
    let mut query = 0u32;
    let mut of_query = 0u32;
    let mut mine = 0u32;
    for item in 0..ITEMS {
        let i = start + item as usize;
        if i < keys.len() {
            let next = query_at(list_of, lists, i);
            if next != query {
                if of_query > 0 {
                    counts[query as usize].fetch_add(of_query);
                }
                of_query = 0u32.runtime();
                query = next;
            }
            if is_valid(keys, list_of, lists, i) {
                of_query += 1;
                mine += 1;
            }
        }
    }
    if of_query > 0 && (query as usize) < counts.len() {
        counts[query as usize].fetch_add(of_query);
    }
    if ABSOLUTE_POS < kept.len() {
        kept[ABSOLUTE_POS] = mine;
    }
}

/// Step 3.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn compact(
    keys: &[u32],
    values: &[u32],
    list_of: &[u32],
    offsets: &[u32],
    out_keys: &mut [u32],
    out_values: &mut [u32],
    lists: u32,
    shift: u32,
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    if comptime!(tiles == Tiles::Staged) {
        staged::compact(keys, values, list_of, offsets, out_keys, out_values, lists, shift, units);
    } else {
        compact_direct(keys, values, list_of, offsets, out_keys, out_values, lists, shift);
    }
}

#[cube]
fn compact_direct(
    keys: &[u32],
    values: &[u32],
    list_of: &[u32],
    offsets: &[u32],
    out_keys: &mut [u32],
    out_values: &mut [u32],
    lists: u32,
    shift: u32,
) {
    let start = ABSOLUTE_POS * ITEMS as usize;
    if start < keys.len() {
        let mut out = offsets[ABSOLUTE_POS];
        for item in 0..ITEMS {
            let i = start + item as usize;
            let mut stays = false.runtime();
            if i < keys.len() {
                stays = is_valid(keys, list_of, lists, i);
            }
            if stays {
                out_keys[out as usize] = keys[i] >> shift;
                out_values[out as usize] = values[i];
                out += 1;
            }
        }
    }
}

#[cube]
fn is_valid(keys: &[u32], list_of: &[u32], lists: u32, i: usize) -> bool {
    let before = i - min(i, 1);
    let is_same_key = before != i && keys[before] >> 1 == keys[i] >> 1;
    let mut is_stale = false.runtime();
    if is_same_key {
        is_stale = query_at(list_of, lists, before) == query_at(list_of, lists, i);
    }
    keys[i] & 1 == 1 && !is_stale
}
