//! Keeps some items of a staged tile: moves them together in shared memory, and stores them side by side.

use super::staging::{LINE_WORDS, staged_at};
use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

/// Moves the unit's items that stay to their places in the tile: `before` items of the units before it stay. The first
/// item of the tile is at `first`. All units of the cube must call it.
#[cube]
pub(crate) fn move_together<T: Int>(tile: &mut [T], first: u32, stays: u32, before: u32) {
    let mut mine = Array::<T>::new(comptime!(STAGED_ITEMS as usize));
    #[unroll]
    for item in 0..STAGED_ITEMS {
        mine[item as usize] = tile[(first + UNIT_POS * STAGED_ITEMS + item) as usize];
    }
    sync_cube();
    let mut at = before;
    #[unroll]
    for item in 0..STAGED_ITEMS {
        if (stays >> item) & 1 == 1 {
            tile[at as usize] = mine[item as usize];
            at += 1;
        }
    }
    sync_cube();
}

/// Puts the positions of the items that stay to these places instead. No unit may still read the tile, and all units of
/// the cube must call it.
#[cube]
pub(crate) fn put_positions<T: Int>(tile: &mut [T], stays: u32, before: u32) {
    let mut at = before;
    #[unroll]
    for item in 0..STAGED_ITEMS {
        if (stays >> item) & 1 == 1 {
            tile[at as usize] = T::cast_from(UNIT_POS * STAGED_ITEMS + item);
            at += 1;
        }
    }
    sync_cube();
}

/// A part of an output that a cube stores side by side.
#[derive(CubeType)]
pub(crate) struct Part {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

#[cube]
impl Part {
    /// How often each unit stores an element.
    pub(crate) fn rounds(&self, #[comptime] units: u32) -> u32 {
        (self.start % LINE_WORDS + self.len).div_ceil(units)
    }

    /// The element of the output that the unit stores in a round, if the part has it.
    pub(crate) fn element(&self, round: u32, #[comptime] units: u32) -> u32 {
        self.start - self.start % LINE_WORDS + staged_at(round, units) as u32
    }

    pub(crate) fn has(&self, element: u32) -> bool {
        element >= self.start && element < self.start + self.len
    }
}
