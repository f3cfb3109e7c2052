//! The steps of a script, made from bytes.

use arbitrary::{Arbitrary, Result, Unstructured};

/// A key, given by its position in the script's universe.
pub type Pick = u16;

/// Two bounds, in any order.
pub type Interval = (Pick, Pick);

/// One step of a script.
#[derive(Debug, Clone, Arbitrary)]
pub enum Step {
    /// Inserts keys with values.
    Insert(#[arbitrary(with = few)] Vec<(Pick, u8)>),
    /// Inserts adjacent keys, each with its own value.
    InsertRun(Pick, u8),
    /// Deletes keys.
    Delete(#[arbitrary(with = few)] Vec<Pick>),
    /// Deletes adjacent keys.
    DeleteRun(Pick, u8),
    /// Inserts keys and then deletes keys, in one update.
    Update(#[arbitrary(with = few)] Vec<(Pick, u8)>, #[arbitrary(with = few)] Vec<Pick>),
    /// Applies a batch of inserts and deletes in order.
    Apply(#[arbitrary(with = few)] Vec<(Pick, Option<u8>)>),
    /// Applies inserts and deletes in order, as columns.
    ApplyColumns(#[arbitrary(with = few)] Vec<(Pick, Option<u8>)>),
    /// Deletes all entries in intervals.
    DeleteRange(#[arbitrary(with = few)] Vec<Interval>),
    /// Merges all runs into one.
    Cleanup,
    /// Deletes all entries.
    Clear,
    /// Looks keys up.
    Lookup(#[arbitrary(with = few)] Vec<Pick>),
    /// Counts the entries in intervals.
    Count(#[arbitrary(with = few)] Vec<Interval>),
    /// Asks for the entries in intervals.
    Range(#[arbitrary(with = few)] Vec<Interval>),
    /// Asks for the first few of them, up to a limit.
    RangeFirst(#[arbitrary(with = few)] Vec<Interval>, u8),
    /// Asks for the first few after the lower bounds, up to a limit.
    RangeAfter(#[arbitrary(with = few)] Vec<Interval>, u8),
    /// Asks for the first entries at or after keys.
    Successor(#[arbitrary(with = few)] Vec<Pick>),
    /// Asks for the last entries at or before keys.
    Predecessor(#[arbitrary(with = few)] Vec<Pick>),
    /// Asks for the entries with the smallest and the largest key.
    Ends,
    /// Asks for the number of entries.
    Len,
    /// Scans all entries in chunks of the given size.
    Scan(u8),
    /// Runs a chain: which one, on which intervals, with which page size.
    FeedBack(u8, #[arbitrary(with = few)] Vec<Interval>, u8),
    /// Takes a snapshot and keeps it.
    Hold,
    /// Checks the kept snapshots again.
    CheckHeld,
    /// Drops all kept snapshots and results.
    Release,
}

impl Step {
    /// Whether the step removes entries. A byte budget always leaves room for that.
    pub fn shrinks(&self) -> bool {
        matches!(
            self,
            Self::Delete(_) | Self::DeleteRun(..) | Self::DeleteRange(_) | Self::Cleanup | Self::Clear
        )
    }
}

/// A list that is preceded by its length. `Arbitrary`'s own lists mostly have one or two elements.
fn few<'a, T: Arbitrary<'a>>(bytes: &mut Unstructured<'a>) -> Result<Vec<T>> {
    let len = bytes.int_in_range(0..=20)?;
    (0..len).map(|_| T::arbitrary(bytes)).collect()
}

/// Elements until the bytes end.
///
/// # Errors
/// None: missing bytes read as zeros.
pub fn all<'a, T: Arbitrary<'a>>(bytes: &mut Unstructured<'a>) -> Result<Vec<T>> {
    let mut elements = Vec::new();
    while !bytes.is_empty() {
        elements.push(T::arbitrary(bytes)?);
    }
    Ok(elements)
}
