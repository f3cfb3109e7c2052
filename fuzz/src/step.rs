//! Steps of a script, as bytes make them.

use arbitrary::{Arbitrary, Result, Unstructured};

/// A key by its place in the script's universe.
pub type Pick = u16;

/// Two bounds, in any order.
pub type Interval = (Pick, Pick);

/// One step of a script.
#[derive(Debug, Clone, Arbitrary)]
pub enum Step {
    /// Keys with values.
    Insert(#[arbitrary(with = few)] Vec<(Pick, u8)>),
    /// As many keys in a row, each with a value of its own.
    InsertRun(Pick, u8),
    /// Keys to be deleted.
    Delete(#[arbitrary(with = few)] Vec<Pick>),
    /// As many keys in a row to be deleted.
    DeleteRun(Pick, u8),
    /// Inserts, and deletes that come after them.
    Update(#[arbitrary(with = few)] Vec<(Pick, u8)>, #[arbitrary(with = few)] Vec<Pick>),
    /// Inserts and deletes in order.
    Apply(#[arbitrary(with = few)] Vec<(Pick, Option<u8>)>),
    /// Intervals to be emptied.
    DeleteRange(#[arbitrary(with = few)] Vec<Interval>),
    /// All runs become one.
    Cleanup,
    /// All entries go.
    Clear,
    /// Keys to be looked up.
    Lookup(#[arbitrary(with = few)] Vec<Pick>),
    /// Entries to be counted.
    Count(#[arbitrary(with = few)] Vec<Interval>),
    /// Entries to be found.
    Range(#[arbitrary(with = few)] Vec<Interval>),
    /// The first so many of them.
    RangeFirst(#[arbitrary(with = few)] Vec<Interval>, u8),
    /// The first so many after the lower bounds.
    RangeAfter(#[arbitrary(with = few)] Vec<Interval>, u8),
    /// The first entries at or after keys.
    Successor(#[arbitrary(with = few)] Vec<Pick>),
    /// The last entries at or before keys.
    Predecessor(#[arbitrary(with = few)] Vec<Pick>),
    /// The entries with the smallest and the largest key.
    Ends,
    /// The number of entries.
    Len,
    /// All entries, in chunks of so many.
    Scan(u8),
    /// Results that are given to a further call: which, of which intervals, in pages of how many.
    FeedBack(u8, #[arbitrary(with = few)] Vec<Interval>, u8),
    /// A snapshot is taken and kept.
    Hold,
    /// The kept snapshots are looked at again.
    CheckHeld,
    /// Snapshots and results are given back.
    Release,
}

impl Step {
    /// Whether the step gets rid of entries, for which a byte budget always leaves room.
    pub fn shrinks(&self) -> bool {
        matches!(
            self,
            Self::Delete(_) | Self::DeleteRun(..) | Self::DeleteRange(_) | Self::Cleanup | Self::Clear
        )
    }
}

/// A list with its length before it. The list that `Arbitrary` makes of itself mostly has one element or two.
fn few<'a, T: Arbitrary<'a>>(bytes: &mut Unstructured<'a>) -> Result<Vec<T>> {
    let len = bytes.int_in_range(0..=20)?;
    (0..len).map(|_| T::arbitrary(bytes)).collect()
}

/// Elements for as long as there are bytes.
///
/// # Errors
/// None: what the bytes do not suffice for is zeros.
pub fn all<'a, T: Arbitrary<'a>>(bytes: &mut Unstructured<'a>) -> Result<Vec<T>> {
    let mut elements = Vec::new();
    while !bytes.is_empty() {
        elements.push(T::arbitrary(bytes)?);
    }
    Ok(elements)
}
