//! Packs the flags of a staged tile into bits, 32 per word, starting with the lowest bit. Each unit packs those of its
//! own items, and then some units put words together from such pieces.

use super::staging::{joined, tile_len};
use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

/// The number of words with the bits of a tile.
pub(crate) fn tile_words(units: u32) -> u32 {
    tile_len(units) / 32
}

/// The bytes of shared memory of a cube that packs flags.
pub(crate) fn shared_bytes(units: u32) -> u32 {
    (tile_len(units) + units) * 4
}

/// The bits of the unit's items. `flags`: 1 or 0 for each item of the tile.
#[cube]
pub(crate) fn piece_of_unit(flags: &[u32]) -> u32 {
    let mut piece = 0u32;
    #[unroll]
    for item in 0..STAGED_ITEMS {
        piece |= flags[(UNIT_POS * STAGED_ITEMS + item) as usize] << item;
    }
    piece
}

/// Stores the words of the cube's tile. Each unit has the bits of its items, zeros past the last one. All units of the
/// cube must call it.
#[cube]
pub(crate) fn store_bits(pieces: &mut [u32], mine: u32, out: &mut [u32], #[comptime] units: u32) {
    pieces[UNIT_POS as usize] = mine;
    sync_cube();
    let words = comptime!(tile_words(units));
    let at = CUBE_POS * comptime!(words as usize) + UNIT_POS as usize;
    if UNIT_POS < words && at < out.len() {
        out[at] = joined(&*pieces, UNIT_POS);
    }
}

/// Stores one bit for each flag of a staged tile, as [`piece_of_unit`] takes them. All units of the cube must call it.
#[cube]
pub(crate) fn store_flags(flags: &[u32], out: &mut [u32], #[comptime] units: u32) {
    let mut pieces = Shared::<[u32]>::new_slice(comptime!(units as usize));
    sync_cube();
    store_bits(&mut pieces, piece_of_unit(flags), out, units);
}
