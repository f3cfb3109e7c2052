//! What tells the instantiations of a kernel apart, besides the width of keys.

use crate::backend::Way;

/// How many 32-bit words a value has; 0 in a set.
pub(super) const VALUE_WORDS: [u32; 4] = [0, 1, 2, 4];

/// How many lists `select` finds its keys in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lists {
    /// All keys are one list.
    One,
    /// Each query has a list.
    PerQuery,
}

impl Lists {
    pub(super) const ALL: [Self; 2] = [Self::One, Self::PerQuery];
}

/// In which direction from a query entries are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Heading {
    /// To larger keys.
    Up,
    /// To smaller keys.
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
