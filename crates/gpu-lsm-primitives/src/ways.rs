//! What a query asks for, beside its keys: where an interval starts, in which direction to search, and in which turn.

/// Whether an interval includes its lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It starts at the bound.
    At,
    /// It starts after the bound.
    After,
}

/// The direction from a query in which entries are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Upwards, starting at the query.
    Up,
    /// Upwards, starting after the query.
    UpAfter,
    /// Downwards, starting at the query.
    Down,
}

/// The position of a run in a search through several runs, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// No run was searched before: the previous content of the answers is ignored.
    pub first: bool,
    /// No run is searched after this one: queries that are still open get the answer "missing".
    pub last: bool,
}
