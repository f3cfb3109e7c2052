//! range: the live entries in intervals of keys, as merges by (query, key).
//!
//! The entries of a run in the intervals of all queries, laid one query after the other, are ordered by (query, key).
//! So those of all runs are merged, newest first; what newer entries hide and tombstones go at the end, and what is left
//! is the answer. Work is spread over entries, not over queries.

use crate::core::Core;
use crate::error::Result;
use crate::hits::{Found, total};
use crate::intervals::Intervals;
use crate::levels::PlacedRun;
use crate::tally::untallied;
use gpu_lsm_primitives::{Backend, Candidates, Key, Meter, Pile, Value};

/// The entries that a list of range queries found, in the order of the queries; for each query in ascending order of
/// keys. In compressed form: all entries in one list, and offsets that say where those of each query start.
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

    /// Bytes of the answers to so many queries with so many entries.
    pub(crate) fn bytes_of(queries: usize, entries: u64) -> u64 {
        let bytes = (queries as u64 + 1).saturating_mul(8);
        bytes.saturating_add(entries.saturating_mul((size_of::<K>() + size_of::<V>()) as u64))
    }

    /// Bytes of these answers.
    pub(crate) fn bytes(&self) -> u64 {
        Self::bytes_of(self.len(), self.keys.len() as u64)
    }

    /// Offsets, keys and values.
    pub(crate) fn into_parts(self) -> (Vec<u64>, Vec<K>, Vec<V>) {
        (self.offsets, self.keys, self.values)
    }

    /// The same with the keys that codes stand for.
    pub(crate) fn with_keys<T: crate::Key<Code = K>>(self, meter: &Meter) -> Result<Ranges<T, V>> {
        Ok(Ranges { offsets: self.offsets, keys: T::keys(meter, self.keys)?, values: self.values })
    }

    /// The keys and the values that the `i`-th query found.
    ///
    /// # Panics
    /// Where there were not so many queries.
    pub fn get(&self, i: usize) -> (&[K], &[V]) {
        let entries = self.offsets[i] as usize..self.offsets[i + 1] as usize;
        (&self.keys[entries.clone()], &self.values[entries])
    }

    /// How many queries there were.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there were no queries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What each query found, one by one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[K], &[V])> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// For each query, and one past the last, how many entries the queries before it found.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The keys that all queries found.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// The values that all queries found.
    pub fn values(&self) -> &[V] {
        &self.values
    }
}

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    /// The live entries of each interval in runs; refused where they have more than `most` candidates. Waits once, and for
    /// each tally that it makes.
    pub(crate) fn range<W: Value>(
        &self,
        runs: &[PlacedRun<B, K, W>],
        intervals: &Intervals<B, K>,
        most: u64,
    ) -> Result<Found<B, K, W>> {
        self.backend.alive()?;
        let hits = self.hits(runs, intervals)?;
        if untallied(runs) > 0 && total(&hits) >= untallied(runs) {
            // Where nothing is hidden, what is merged is the answer.
            self.make_tallies(&self.keys_of_runs()?)?;
        }
        self.found(&hits, most)
    }

    /// The same in arrays of their true length. Waits for that, unless it is known that nothing was hidden.
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
