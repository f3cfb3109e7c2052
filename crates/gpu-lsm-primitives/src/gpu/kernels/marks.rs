//! marks: one bit per entry, set for tombstones: 32 per word, starting with the lowest bit.
//!
//! Input    bits, and sources: for each bit of the output, its position in the input; or words: zero for each entry
//!          that is to have no mark
//! Output   bits; those past the last entry are zero
//! Launch   direct: one unit per word of the output; staged: one cube per tile of entries
//! Cost     reads and writes each once
//! Twin     host/marks.rs

use super::shared::marks::mark_at;
use super::shared::packing::store_flags;
use super::shared::staging::{staged_at, tile_len};
use crate::gpu::axes::Tiles;
use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn marks_gather(
    bits: &[u32],
    sources: &[u32],
    out: &mut [u32],
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    if comptime!(tiles == Tiles::Staged) {
        let mut flags = Shared::<[u32]>::new_slice(comptime!(tile_len(units) as usize));
        let start = CUBE_POS * comptime!(tile_len(units) as usize);
        #[unroll]
        for item in 0..STAGED_ITEMS {
            let k = staged_at(item, units);
            let mut flag = 0u32;
            if start + k < sources.len() {
                flag = mark_at(bits, sources[start + k]);
            }
            flags[k] = flag;
        }
        store_flags(&flags, out, units);
    } else if ABSOLUTE_POS < out.len() {
        let mut mine = 0u32;
        for bit in 0..32u32 {
            let i = ABSOLUTE_POS * 32 + bit as usize;
            if i < sources.len() {
                mine |= mark_at(bits, sources[i]) << bit;
            }
        }
        out[ABSOLUTE_POS] = mine;
    }
}

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn marks_to_bits(
    words: &[u32],
    bits: &mut [u32],
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    if comptime!(tiles == Tiles::Staged) {
        let mut flags = Shared::<[u32]>::new_slice(comptime!(tile_len(units) as usize));
        let start = CUBE_POS * comptime!(tile_len(units) as usize);
        #[unroll]
        for item in 0..STAGED_ITEMS {
            let k = staged_at(item, units);
            let mut flag = 0u32;
            if start + k < words.len() {
                flag = u32::cast_from(words[start + k] != 0);
            }
            flags[k] = flag;
        }
        store_flags(&flags, bits, units);
    } else if ABSOLUTE_POS < bits.len() {
        let mut mine = 0u32;
        for bit in 0..32u32 {
            let i = ABSOLUTE_POS * 32 + bit as usize;
            if i < words.len() {
                mine |= u32::cast_from(words[i] != 0) << bit;
            }
        }
        bits[ABSOLUTE_POS] = mine;
    }
}
