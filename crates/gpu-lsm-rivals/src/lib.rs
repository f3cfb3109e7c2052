//! Ordered dictionaries on the CPU, from `u32` to `u32`, that gpu-lsm is measured against.
//!
//! In a crate of their own, which a plain build of the project leaves out: one of them is a storage engine.

#![forbid(unsafe_code)]

mod btree;
mod redb;
mod sorted_vec;

pub use btree::Tree;
pub use redb::Database;
pub use sorted_vec::SortedVec;

/// What the rivals' calls return.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong in a rival: only the storage engine can fail.
#[derive(Debug, thiserror::Error)]
#[error("redb failed: {0}")]
pub struct Error(#[from] ::redb::Error);

/// The entries that a list of range queries found, one query after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entries {
    /// For each query, and one past the last, how many entries the queries before it found.
    pub offsets: Vec<u32>,
    /// The keys that all queries found.
    pub keys: Vec<u32>,
    /// Their values.
    pub values: Vec<u32>,
}

/// A dictionary that takes batches. Bounds are inclusive; of equal keys in a batch the last counts; deletes come after
/// inserts.
pub trait Rival: Default {
    /// Its name in tables.
    const NAME: &'static str;

    /// Inserts entries and then deletes keys.
    ///
    /// # Errors
    /// Where the storage engine fails.
    fn update(&mut self, keys: &[u32], values: &[u32], deletes: &[u32]) -> Result<()>;

    /// Looks keys up.
    ///
    /// # Errors
    /// Where the storage engine fails.
    fn lookup(&self, keys: &[u32]) -> Result<Vec<Option<u32>>>;

    /// Counts the entries of each interval.
    ///
    /// # Errors
    /// Where the storage engine fails.
    fn count(&self, lower: &[u32], upper: &[u32]) -> Result<Vec<u32>>;

    /// Finds the entries of each interval, ascending.
    ///
    /// # Errors
    /// Where the storage engine fails.
    fn range(&self, lower: &[u32], upper: &[u32]) -> Result<Entries>;

    /// How many entries it holds.
    ///
    /// # Errors
    /// Where the storage engine fails.
    fn len(&self) -> Result<u64>;

    /// Whether it holds none.
    ///
    /// # Errors
    /// Where the storage engine fails.
    fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }
}

/// Entries of queries that were answered one after the other.
fn collect<I: IntoIterator<Item = Result<(u32, u32)>>>(
    queries: impl Iterator<Item = Result<I>>,
) -> Result<Entries> {
    let mut entries = Entries { offsets: vec![0], ..Entries::default() };
    for query in queries {
        for entry in query? {
            let (key, value) = entry?;
            entries.keys.push(key);
            entries.values.push(value);
        }
        entries.offsets.push(entries.keys.len() as u32);
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::{Database, Entries, Rival, SortedVec, Tree};

    fn answers_as_a_dictionary_does<R: Rival>() {
        let mut rival = R::default();
        assert!(rival.is_empty().expect("it answers"), "{}", R::NAME);
        rival.update(&[5, 1, 9, 5], &[50, 10, 90, 55], &[]).expect("it takes a batch");
        rival.update(&[7, 9], &[70, 99], &[1, 4]).expect("it takes a batch");
        assert_eq!(rival.lookup(&[1, 5, 7, 9]).expect("it answers"), [None, Some(55), Some(70), Some(99)]);
        assert_eq!(rival.count(&[0, 6, 9], &[5, 9, 2]).expect("it answers"), [1, 2, 0], "{}", R::NAME);
        let found = rival.range(&[0, 6, 9], &[5, 9, 2]).expect("it answers");
        let expected = Entries { offsets: vec![0, 1, 3, 3], keys: vec![5, 7, 9], values: vec![55, 70, 99] };
        assert_eq!(found, expected, "{}", R::NAME);
        assert_eq!(rival.len().expect("it answers"), 3);
    }

    #[test]
    fn every_rival_answers_as_a_dictionary_does() {
        answers_as_a_dictionary_does::<Tree>();
        answers_as_a_dictionary_does::<SortedVec>();
        answers_as_a_dictionary_does::<Database>();
    }
}
