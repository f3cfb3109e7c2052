//! number: finds the list of each candidate.
//!
//! Input    offsets: where the candidates of each list start, and where the last list ends
//! Output   list_of: for each candidate, the number of its list
//! Launch   direct: one unit per MERGE_ITEMS candidates; staged: one cube per tile of candidates
//! Steps    a binary search for the first candidate's list; when a list ends, a short search ahead for the next
//! Cost     writes each number once
//! Twin     host/baselines/number.rs

use crate::gpu::axes::Tiles;
use crate::gpu::kernels::shared::queries::{next_query, query_of};
use crate::gpu::kernels::shared::staging::{staged_at, tile_len};
use crate::tuning::{MERGE_ITEMS, STAGED_ITEMS};
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn number(offsets: &[u32], list_of: &mut [u32], #[comptime] units: u32, #[comptime] tiles: Tiles) {
    if comptime!(tiles == Tiles::Staged) {
        let mut tile = Shared::<[u32]>::new_slice(comptime!(tile_len(units) as usize));
        let start = CUBE_POS * comptime!(tile_len(units) as usize);
        let mine = (UNIT_POS * STAGED_ITEMS) as usize;
        if start + mine < list_of.len() {
            let mut list = query_of(offsets, 1u32, (start + mine) as u32);
            for item in 0..STAGED_ITEMS {
                let k = mine + item as usize;
                if start + k < list_of.len() {
                    list = list_at(offsets, list, (start + k) as u32);
                    tile[k] = list;
                }
            }
        }
        sync_cube();
        #[unroll]
        for item in 0..STAGED_ITEMS {
            let k = staged_at(item, units);
            if start + k < list_of.len() {
                list_of[start + k] = tile[k];
            }
        }
    } else {
        let first = ABSOLUTE_POS * MERGE_ITEMS as usize;
        if first < list_of.len() {
            let mut list = query_of(offsets, 1u32, first as u32);
            for item in 0..MERGE_ITEMS {
                let out = first + item as usize;
                if out < list_of.len() {
                    list = list_at(offsets, list, out as u32);
                    list_of[out] = list;
                }
            }
        }
    }
}

/// The list of a candidate, given that of the one before it or its own.
#[cube]
fn list_at(offsets: &[u32], list: u32, out: u32) -> u32 {
    let mut found = list;
    if offsets[list as usize + 1] <= out {
        found = next_query(offsets, 1u32, list, out);
    }
    found
}
