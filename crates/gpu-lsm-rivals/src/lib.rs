//! Ordered dictionaries from `u32` to `u32` on the CPU, with which gpu-lsm is compared.
//!
//! They are in a separate crate, which the library never needs, because one of them is a storage engine.

#![forbid(unsafe_code)]

mod btree;
mod parallel;
mod redb;
mod sorted_vec;

pub use btree::{SharedTree, Tree};
pub use redb::Database;
pub use sorted_vec::SortedVec;

/// The result of the rivals' calls.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of a rival. Only the storage engine can fail.
#[derive(Debug, thiserror::Error)]
#[error("redb failed: {0}")]
pub struct Error(#[from] ::redb::Error);

/// The answers to lookups, in columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// For each query, 1 if the key is present, else 0.
    pub found: Vec<u32>,
    /// For each query, the value; zero if the key is missing.
    pub values: Vec<u32>,
}

impl Found {
    fn with_capacity(len: usize) -> Self {
        Self { found: Vec::with_capacity(len), values: Vec::with_capacity(len) }
    }

    fn push(&mut self, value: Option<u32>) {
        self.found.push(u32::from(value.is_some()));
        self.values.push(value.unwrap_or(0));
    }
}

/// The entries that a list of range queries found, one query after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entries {
    /// For each query, and one past the last, the number of entries that all queries before it found.
    pub offsets: Vec<u32>,
    /// The keys that all queries found.
    pub keys: Vec<u32>,
    /// Their values.
    pub values: Vec<u32>,
}

impl Entries {
    /// Space for `len` entries, and the first offset.
    fn with_len(len: usize) -> Self {
        Self { offsets: vec![0], keys: vec![0; len], values: vec![0; len] }
    }
}

/// A dictionary that takes batches. Bounds are inclusive. If a key occurs several times in a batch, its last entry
/// wins. Deletes come after inserts.
pub trait Rival: Default {
    /// Its name in tables.
    const NAME: &'static str;
    /// Whether its updates are its own. Otherwise they are those of another rival and need not be measured again.
    const UPDATES_ARE_ITS_OWN: bool = true;

    /// A rival with these entries, built in the fastest possible way.
    ///
    /// # Errors
    /// If the storage engine fails.
    fn build(keys: &[u32], values: &[u32]) -> Result<Self> {
        let mut built = Self::default();
        built.update(keys, values, &[])?;
        Ok(built)
    }

    /// Inserts entries and then deletes keys.
    ///
    /// # Errors
    /// If the storage engine fails.
    fn update(&mut self, keys: &[u32], values: &[u32], deletes: &[u32]) -> Result<()>;

    /// Deletes the entries of an interval, and then inserts others.
    ///
    /// # Errors
    /// If the storage engine fails.
    fn slide(&mut self, keys: &[u32], values: &[u32], lower: u32, upper: u32) -> Result<()>;

    /// Looks up keys.
    ///
    /// # Errors
    /// If the storage engine fails.
    fn lookup(&self, keys: &[u32]) -> Result<Found>;

    /// Counts the entries of each interval.
    ///
    /// # Errors
    /// If the storage engine fails.
    fn count(&self, lower: &[u32], upper: &[u32]) -> Result<Vec<u32>>;

    /// Finds the entries of each interval, in ascending order.
    ///
    /// # Errors
    /// If the storage engine fails.
    fn range(&self, lower: &[u32], upper: &[u32]) -> Result<Entries>;

    /// The number of entries that it holds.
    ///
    /// # Errors
    /// If the storage engine fails.
    fn len(&self) -> Result<u64>;

    /// Whether it holds no entries.
    ///
    /// # Errors
    /// If the storage engine fails.
    fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }
}

/// Collects the entries of queries that are answered one after the other.
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
    use super::{Database, Entries, Found, Rival, SharedTree, SortedVec, Tree};

    fn answers_as_a_dictionary_does<R: Rival>() {
        let mut rival = R::default();
        assert!(rival.is_empty().expect("it answers"), "{}", R::NAME);
        rival.update(&[5, 1, 9, 5], &[50, 10, 90, 55], &[]).expect("it takes a batch");
        rival.update(&[7, 9], &[70, 99], &[1, 4]).expect("it takes a batch");
        let expected = Found { found: vec![0, 1, 1, 1], values: vec![0, 55, 70, 99] };
        assert_eq!(rival.lookup(&[1, 5, 7, 9]).expect("it answers"), expected, "{}", R::NAME);
        assert_eq!(rival.count(&[0, 6, 9], &[5, 9, 2]).expect("it answers"), [1, 2, 0], "{}", R::NAME);
        let found = rival.range(&[0, 6, 9], &[5, 9, 2]).expect("it answers");
        let expected = Entries { offsets: vec![0, 1, 3, 3], keys: vec![5, 7, 9], values: vec![55, 70, 99] };
        assert_eq!(found, expected, "{}", R::NAME);
        assert_eq!(rival.len().expect("it answers"), 3);
        rival.slide(&[6, 8], &[66, 88], 4, 7).expect("it deletes, and then inserts");
        rival.slide(&[], &[], 9, 4).expect("an empty interval");
        let found = rival.range(&[0], &[u32::MAX]).expect("it answers");
        assert_eq!((found.keys, found.values), (vec![6, 8, 9], vec![66, 88, 99]), "{}", R::NAME);
        rival.slide(&[u32::MAX], &[1], 0, u32::MAX).expect("it deletes everything");
        rival.slide(&[7], &[70], 8, u32::MAX).expect("it deletes the largest key");
        let found = rival.range(&[0], &[u32::MAX]).expect("it answers");
        assert_eq!((found.keys, found.values), (vec![7], vec![70]), "{}", R::NAME);
    }

    #[test]
    fn every_rival_answers_as_a_dictionary_does() {
        answers_as_a_dictionary_does::<Tree>();
        answers_as_a_dictionary_does::<SharedTree>();
        answers_as_a_dictionary_does::<SortedVec>();
        answers_as_a_dictionary_does::<Database>();
    }

    /// Enough entries for several tiles and tasks. A third of the second batch replaces entries, a third deletes.
    fn agrees_with_a_tree<R: Rival>() {
        let keys: Vec<u32> = (0..60_000u32).map(|i| i.wrapping_mul(0x9E37_79B1) >> 12).collect();
        let values: Vec<u32> = (0..60_000).collect();
        let (mut tree, mut rival) = (Tree::default(), R::build(&keys, &values).expect("it can be built"));
        tree.update(&keys, &values, &[]).expect("it takes a batch");
        assert_eq!(rival.len().expect("it answers"), tree.len().expect("it answers"), "{}", R::NAME);
        let others: Vec<u32> = keys[..20_000].iter().map(|key| key ^ 1).collect();
        let inserts = [&keys[..20_000], &others].concat();
        tree.update(&inserts, &values[..40_000], &keys[40_000..]).expect("it takes a batch");
        rival.update(&inserts, &values[..40_000], &keys[40_000..]).expect("it takes a batch");
        let lower: Vec<u32> = (0..3000).map(|i| i * 300).collect();
        let upper: Vec<u32> = lower.iter().map(|lower| lower + lower % 1000).collect();
        assert_eq!(rival.lookup(&inserts).expect("it answers"), tree.lookup(&inserts).expect("it answers"));
        let (counts, expected) = (rival.count(&lower, &upper), tree.count(&lower, &upper));
        assert_eq!(counts.expect("it answers"), expected.expect("it answers"), "{}", R::NAME);
        let (found, expected) = (rival.range(&lower, &upper), tree.range(&lower, &upper));
        assert_eq!(found.expect("it answers"), expected.expect("it answers"), "{}", R::NAME);
        let nothing = rival.range(&[], &[]).expect("it answers");
        assert_eq!(nothing, Entries { offsets: vec![0], ..Entries::default() }, "{}", R::NAME);
    }

    #[test]
    fn all_agree_where_there_is_work_for_all_threads() {
        agrees_with_a_tree::<SharedTree>();
        agrees_with_a_tree::<SortedVec>();
    }
}
