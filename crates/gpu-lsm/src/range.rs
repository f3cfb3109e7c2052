//! range: the live entries in intervals of keys, as merges by (query, key).
//!
//! For each run, the entries in the intervals of all queries are laid out one query after the other, so they are
//! ordered by (query, key). The lists of all runs are merged, newest first. Hidden entries and tombstones are dropped
//! at the end, and the rest is the answer. Work is divided by entries, not by queries.

use crate::core::Core;
use crate::each::{Each, PerQuery, iterates};
use crate::error::Result;
use crate::hits::{Found, total};
use crate::intervals::Intervals;
use crate::key::Key;
use crate::levels::PlacedRun;
use crate::tally::{can_tally, untallied};
use gpu_lsm_primitives::{Backend, Candidates, Code, Meter, Pile, Value};

/// The entries that a list of range queries found, in the order of the queries; for each query in ascending order of
/// keys. The form is compressed: all entries are in one list, and offsets say where the entries of each query start.
///
/// ```
/// use gpu_lsm::{Config, Device, Dictionary};
/// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u32, 4, 9])?;
/// let found = squares.range(&[0, 2], &[1, 9])?;
/// assert_eq!(found.get(1), (&[2, 3][..], &[4, 9][..]));
/// assert_eq!(found.iter().map(|(keys, _)| keys.len()).collect::<Vec<_>>(), [1, 2]);
/// assert_eq!(found.offsets(), [0, 1, 3]);
/// assert_eq!((found.keys(), found.values()), (&[1, 2, 3][..], &[1, 4, 9][..]));
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranges<K, V> {
    offsets: Vec<u64>,
    keys: Vec<K>,
    values: Vec<V>,
}

impl<K, V> Ranges<K, V> {
    pub(crate) fn new(offsets: Vec<u64>, keys: Vec<K>, values: Vec<V>) -> Self {
        Self { offsets, keys, values }
    }

    /// The bytes of answers to this many queries with this many entries.
    pub(crate) fn bytes_of(queries: usize, entries: u64) -> u64 {
        let bytes = (queries as u64 + 1).saturating_mul(8);
        bytes.saturating_add(entries.saturating_mul((size_of::<K>() + size_of::<V>()) as u64))
    }

    /// The bytes of these answers.
    pub(crate) fn bytes(&self) -> u64 {
        Self::bytes_of(self.len(), self.keys.len() as u64)
    }

    /// Offsets, keys and values: see [`offsets`](Self::offsets), [`keys`](Self::keys) and [`values`](Self::values).
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let found = squares.range([0, 2], [1, 9])?;
    /// assert_eq!(found.into_parts(), (vec![0, 1, 3], vec![1, 2, 3], vec![1, 4, 9]));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn into_parts(self) -> (Vec<u64>, Vec<K>, Vec<V>) {
        (self.offsets, self.keys, self.values)
    }

    /// The same with keys in place of codes.
    pub(crate) fn with_keys<T: Key<Code = K>>(self, meter: &Meter) -> Result<Ranges<T, V>> {
        Ok(Ranges { offsets: self.offsets, keys: T::keys(meter, self.keys)?, values: self.values })
    }

    /// The keys and the values that query `i` found.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let found = squares.range([0, 2], [1, 9])?;
    /// assert_eq!(found.get(1), (&[2, 3][..], &[4, 9][..]));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no query `i`.
    pub fn get(&self, i: usize) -> (&[K], &[V]) {
        let entries = self.offsets[i] as usize..self.offsets[i + 1] as usize;
        (&self.keys[entries.clone()], &self.values[entries])
    }

    /// The number of queries.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let found = squares.range([0, 2], [1, 9])?;
    /// assert_eq!(found.len(), 2);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no queries.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let found = squares.range([0, 2], [1, 9])?;
    /// assert!(!found.is_empty());
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries that each query found, one query at a time.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let found = squares.range([0, 2], [1, 9])?;
    /// assert_eq!(found.iter().map(|(keys, _)| keys.len()).collect::<Vec<_>>(), [1, 2]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn iter(&self) -> Each<'_, Self> {
        Each::of(self, self.len())
    }

    /// The entries that all queries found, one by one.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let found = squares.range([0, 2], [1, 9])?;
    /// assert!(found.entries().all(|(key, value)| value == key * key));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (K, V)> + '_
    where
        K: Copy,
        V: Copy,
    {
        self.keys.iter().copied().zip(self.values.iter().copied())
    }

    /// For each query, and one past the last, the number of entries that all queries before it found.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let found = squares.range([0, 2], [1, 9])?;
    /// assert_eq!(found.offsets(), [0, 1, 3]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The keys that all queries found.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let found = squares.range([0, 2], [1, 9])?;
    /// assert_eq!(found.keys(), [1, 2, 3]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// The values that all queries found.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let found = squares.range([0, 2], [1, 9])?;
    /// assert_eq!(found.values(), [1, 4, 9]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn values(&self) -> &[V] {
        &self.values
    }
}

impl<K, V> PerQuery for Ranges<K, V> {
    type Answer<'a>
        = (&'a [K], &'a [V])
    where
        K: 'a,
        V: 'a;

    fn answer(&self, i: usize) -> (&[K], &[V]) {
        self.get(i)
    }
}
iterates!(Ranges<K, V>);

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// The live entries of each interval in runs. Refused if they have more than `most` candidates. Waits once, and
    /// once more for each tally that it makes.
    pub(crate) fn range<W: Value>(
        &self,
        runs: &[PlacedRun<B, K, W>],
        intervals: &Intervals<B, K>,
        most: u64,
    ) -> Result<Found<B, K, W>> {
        self.backend.alive()?;
        let hits = self.hits(runs, intervals)?;
        let pays = untallied(runs) > 0 && total(&hits) >= untallied(runs);
        if pays && can_tally(runs.iter().map(|run| run.len)) {
            // If nothing is hidden, the merged candidates are already the answer.
            self.make_tallies(&self.keys_of_runs()?)?;
        }
        self.found(&hits, most)
    }

    /// The same in arrays of their exact length. Waits to learn it, unless it is known that nothing was hidden.
    pub(crate) fn exact<W: Value>(&self, found: Found<B, K, W>) -> Result<Candidates<B, K, W>> {
        let Candidates { offsets, entries } = found.candidates;
        let len = match found.len {
            Some(len) => len,
            None => self.backend.read_counts(&[&self.backend.last(&offsets)?])?[0] as usize,
        };
        let (keys, values) =
            (self.backend.slice(&entries.keys, 0..len)?, self.backend.slice(&entries.values, 0..len)?);
        Ok(Candidates { offsets, entries: Pile { keys, values, len, ..entries } })
    }
}
