//! The parameters that distinguish the instances of a kernel, besides the width of keys.

use crate::backend::Way;
use crate::tuning::STAGED_ITEMS;

/// The possible numbers of 32-bit words in a value; 0 in a set.
pub(super) const VALUE_WORDS: [u32; 4] = [0, 1, 2, 4];

/// The same without sets, whose values are not moved.
pub(super) const MOVED_WORDS: [u32; 3] = [1, 2, 4];

/// How a cube reaches its tile, the part of a buffer that it works on. The device's kind decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tiles {
    /// Each unit reads and writes its own neighbouring items. Fewest steps: for software drivers, whose time goes by
    /// steps.
    Direct,
    /// All units read and write the tile side by side, and work on it in shared memory. Fewest memory transactions: for
    /// GPUs, whose time goes by these.
    Staged,
}

impl Tiles {
    pub(super) const ALL: [Self; 2] = [Self::Direct, Self::Staged];

    /// The number of neighbouring items that a unit works on, if it works on `direct` of them in a direct tile.
    pub(super) fn items(self, direct: u32) -> u32 {
        match self {
            Self::Direct => direct,
            Self::Staged => STAGED_ITEMS,
        }
    }

    /// This many, if tiles are staged, else 0: for bytes of shared memory.
    pub(super) fn if_staged(self, number: u32) -> u32 {
        if self == Self::Staged { number } else { 0 }
    }

    /// The number of units that `len` items need.
    pub(super) fn units(self, len: usize, direct: u32) -> usize {
        len.div_ceil(self.items(direct) as usize)
    }
}

/// The lists in which `select` finds its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lists {
    /// All keys form one list.
    One,
    /// Each query has its own list.
    PerQuery,
}

impl Lists {
    pub(super) const ALL: [Self; 2] = [Self::One, Self::PerQuery];
}

/// The direction in which entries are searched from a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Heading {
    /// Towards larger keys.
    Up,
    /// Towards smaller keys.
    Down,
}

impl Heading {
    pub(super) const ALL: [Self; 2] = [Self::Up, Self::Down];

    pub(super) fn of(way: Way) -> Self {
        match way {
            Way::Up | Way::UpAfter => Self::Up,
            Way::Down => Self::Down,
        }
    }
}
