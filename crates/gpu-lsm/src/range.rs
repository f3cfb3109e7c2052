//! count and range: the live entries in intervals of keys, as merges by (query, key).
//!
//! The entries of a run in the intervals of all queries, laid one query after the other, are ordered by (query, key).
//! So those of all runs are laid over each other, newest first; tombstones go at the end, and what is left is the
//! answer. Work is spread over entries, not over queries.

use crate::core::Core;
use crate::error::{BackendError, Result};
use gpu_lsm_primitives::{Array, Backend, Bounds, Candidates, Key, Meter, Pending, Run, Start, Value};

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

/// Intervals on the device; the upper bounds are inclusive.
pub(crate) struct Intervals<B: Backend, K: Key> {
    pub(crate) lower: B::Array<K>,
    pub(crate) upper: B::Array<K>,
    pub(crate) start: Start,
}

/// A run, and what it has in the intervals of a list of queries.
pub(crate) struct Hit<'r, B: Backend, K: Key, W: Value> {
    pub(crate) run: &'r Run<B, K, W>,
    pub(crate) bounds: Bounds<B>,
    /// How many entries; the largest number where they are more than 32 bits can say.
    pub(crate) total: usize,
}

/// The entries of queries on the device, and where those of each query start; at most so many as there is room for.
pub(crate) struct RangesOnDevice<B: Backend, K: Key, W: Value> {
    pub(crate) offsets: B::Array<u32>,
    pub(crate) entries: Pending<B, K, W>,
}

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    /// How many live entries each interval has; refused where they have more than `most` candidates. Waits once.
    ///
    /// Where only one run has any, and no tombstone, that is what lies in its bounds.
    pub(crate) fn count(&self, intervals: &Intervals<B, K>, most: u64) -> Result<B::Array<u32>> {
        self.backend.alive()?;
        let runs = self.keys_of_runs()?;
        let mut hits = self.hits(&runs, intervals)?;
        if let [only] = &hits[..]
            && only.run.marks.is_none()
        {
            return Ok(hits.remove(0).bounds.lens);
        }
        let live = self.live_entries(hits, most)?;
        let offsets = self.backend.offsets(&live, intervals.lower.len())?;
        Ok(self.backend.clip(&offsets, u32::MAX)?.lens)
    }

    /// The live entries of each interval in runs, at most the first `limit` of each; refused where they have more than
    /// `most` candidates. Waits once.
    pub(crate) fn range<W: Value>(
        &self,
        runs: &[Run<B, K, W>],
        intervals: &Intervals<B, K>,
        limit: Option<u32>,
        most: u64,
    ) -> Result<RangesOnDevice<B, K, W>> {
        self.backend.alive()?;
        let queries = intervals.lower.len();
        let live = self.live_entries(self.hits(runs, intervals)?, most)?;
        let offsets = self.backend.offsets(&live, queries)?;
        match limit {
            None => Ok(RangesOnDevice { offsets, entries: live.entries }),
            Some(limit) => self.clipped(&live.entries, &offsets, limit),
        }
    }

    /// The first `limit` entries of each query.
    fn clipped<W: Value>(
        &self,
        entries: &Pending<B, K, W>,
        offsets: &B::Array<u32>,
        limit: u32,
    ) -> Result<RangesOnDevice<B, K, W>> {
        let bounds = self.backend.clip(offsets, limit)?;
        let list = Run {
            keys: entries.keys.clone(),
            values: entries.values.clone(),
            marks: None,
            len: entries.bound,
            tombstones: 0,
        };
        let room = (offsets.len() - 1).saturating_mul(limit as usize).min(entries.bound);
        let entries = self.backend.expand(&list, &bounds, room)?.entries;
        Ok(RangesOnDevice { offsets: bounds.offsets, entries })
    }

    /// The runs, newest first, that have entries in any interval. Waits once, for how many those are.
    fn hits<'r, W: Value>(
        &self,
        runs: &'r [Run<B, K, W>],
        intervals: &Intervals<B, K>,
    ) -> Result<Vec<Hit<'r, B, K, W>>> {
        let bounds = |run| self.backend.bounds(run, &intervals.lower, &intervals.upper, intervals.start);
        let bounds = runs.iter().map(bounds).collect::<Result<Vec<_>, _>>()?;
        self.counted(runs, bounds)
    }

    /// The runs that have entries in their bounds. Waits once, for how many those are.
    pub(crate) fn counted<'r, W: Value>(
        &self,
        runs: &'r [Run<B, K, W>],
        bounds: Vec<Bounds<B>>,
    ) -> Result<Vec<Hit<'r, B, K, W>>> {
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let totals: Vec<_> = bounds.iter().map(|bounds| &bounds.total).collect();
        let totals = self.backend.read_counts(&totals)?;
        let hits = runs.iter().zip(bounds).zip(totals);
        let hits = hits.map(|((run, bounds), total)| Hit { run, bounds, total: total as usize });
        Ok(hits.filter(|hit| hit.total > 0).collect())
    }

    /// The entries of all hits laid over each other, without tombstones; refused where they are more than `most`.
    pub(crate) fn live_entries<W: Value>(
        &self,
        hits: Vec<Hit<'_, B, K, W>>,
        most: u64,
    ) -> Result<Candidates<B, K, W>> {
        self.check_candidates(&hits, most)?;
        let mut newest: Option<Candidates<B, K, W>> = None;
        for Hit { run, bounds, total } in hits {
            let older = self.backend.expand(run, &bounds, total)?;
            newest = Some(match newest {
                Some(newer) => self.backend.overlay(&newer, &older)?,
                None => older,
            });
        }
        match newest {
            Some(candidates) => Ok(self.backend.live(candidates)?),
            None => {
                let entries = Run::empty(&self.backend)?.pending(&self.backend)?;
                Ok(Candidates { queries: self.backend.upload(&[])?, entries })
            }
        }
    }

    /// Refuses more candidates than one array can hold, or than `most`.
    fn check_candidates<W: Value>(&self, hits: &[Hit<'_, B, K, W>], most: u64) -> Result<()> {
        let entry_bytes = size_of::<K>().max(size_of::<W>());
        let limit = self.backend.max_len(entry_bytes).min(most);
        let entries = hits.iter().map(|hit| hit.total as u64).sum();
        // A total that is too large for 32 bits is the largest number.
        if entries > limit || hits.iter().any(|hit| hit.total == u32::MAX as usize) {
            let error = BackendError::TooLarge { entries, entry_bytes: entry_bytes as u64, limit };
            return Err(error.into());
        }
        Ok(())
    }

    /// The runs, newest first.
    pub(crate) fn whole_runs(&self) -> Vec<Run<B, K, V>> {
        self.runs().cloned().collect()
    }

    /// The runs without their values, newest first.
    pub(crate) fn keys_of_runs(&self) -> Result<Vec<Run<B, K, ()>>> {
        let without_values = |run: &Run<B, K, V>| {
            Ok(Run {
                keys: run.keys.clone(),
                values: self.backend.upload(&[])?,
                marks: run.marks.clone(),
                len: run.len,
                tombstones: run.tombstones,
            })
        };
        self.runs().map(without_values).collect()
    }
}
