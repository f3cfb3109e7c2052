//! The parameters that distinguish the instances of a kernel, besides the width of keys.

use crate::backend::Way;

/// The possible numbers of 32-bit words in a value; 0 in a set.
pub(super) const VALUE_WORDS: [u32; 4] = [0, 1, 2, 4];

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
