//! Tiles in shared memory. All units of a cube load and store a tile side by side: unit `u` moves the items `u`,
//! `u + units`, `u + 2 * units` and so on. In between, each unit works on `STAGED_ITEMS` neighbouring items.
//!
//! A unit leaves a note on its items: one bit for each, and how many bits the units before it have set. From the notes
//! every unit can tell the rank of every item.

use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

/// The words that a GPU's load/store unit moves at a time. Units that store words side by side start at a multiple of
/// this, so that no wave's store straddles one line more than it must.
pub(crate) const LINE_WORDS: u32 = 32;

/// The number of items in a tile.
pub(crate) fn tile_len(units: u32) -> u32 {
    units * STAGED_ITEMS
}

/// The position in the tile of the item that this unit moves in round `item`.
#[cube]
pub(crate) fn staged_at(item: u32, #[comptime] units: u32) -> usize {
    (item * units + UNIT_POS) as usize
}

/// A unit's note: a bit for each of its items, and the number of bits that the units before it have set.
#[cube]
pub(crate) fn note(bits: u32, before: u32) -> u32 {
    bits | (before << 16)
}

/// Whether item `k` of the tile has its bit set, and how many items before it have.
#[cube]
pub(crate) fn noted(notes: &[u32], k: u32) -> (bool, u32) {
    let note = notes[(k / STAGED_ITEMS) as usize];
    let bit = 1u32 << (k % STAGED_ITEMS);
    (note & bit > 0, (note >> 16) + (note & (bit - 1)).count_ones())
}

/// A word of bits that start at bit `32 * word` of a tile, if each unit has left the bits of its items.
#[cube]
pub(crate) fn joined(strings: &[u32], word: u32) -> u32 {
    let first = 32 * word / STAGED_ITEMS;
    let skipped = 32 * word % STAGED_ITEMS;
    let mut bits = strings[first as usize] >> skipped;
    let mut unit = first + 1;
    let mut filled = STAGED_ITEMS - skipped;
    while filled < 32 {
        bits |= strings[unit as usize] << filled;
        unit += 1;
        filled += STAGED_ITEMS;
    }
    bits
}
