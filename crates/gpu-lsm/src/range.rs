//! range: the live entries in intervals of keys, as merges by (query, key).
//!
//! The entries of a run in the intervals of all queries, laid one query after the other, are ordered by (query, key).
//! So those of all runs are merged, newest first; what newer entries hide and tombstones go at the end, and what is left
//! is the answer. Work is spread over entries, not over queries.

use crate::core::Core;
use crate::count::{hides_nothing, untallied};
use crate::error::{BackendError, Result};
use gpu_lsm_primitives::{Backend, Bounds, Candidates, Key, Meter, Pile, Run, Start, Value};

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

/// How many entries all hits have.
pub(crate) fn total<B: Backend, K: Key, W: Value>(hits: &[Hit<'_, B, K, W>]) -> u64 {
    hits.iter().map(|hit| hit.total as u64).sum()
}

/// What ranges found, on the device.
pub(crate) struct Found<B: Backend, K: Key, W: Value> {
    pub(crate) candidates: Candidates<B, K, W>,
    /// How many entries there are, if nothing was hidden; else the last offset tells, and there may be room for more.
    pub(crate) len: Option<usize>,
}

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    /// The live entries of each interval in runs; refused where they have more than `most` candidates. Waits once, and for
    /// each tally that it makes.
    pub(crate) fn range<W: Value>(
        &self,
        runs: &[Run<B, K, W>],
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

    /// The runs, newest first, that have entries in any interval, or the first where none has. Waits once, for how many those are.
    pub(crate) fn hits<'r, W: Value>(
        &self,
        runs: &'r [Run<B, K, W>],
        intervals: &Intervals<B, K>,
    ) -> Result<Vec<Hit<'r, B, K, W>>> {
        let bounds = |run| self.backend.bounds(run, &intervals.lower, &intervals.upper, intervals.start);
        let bounds = runs.iter().map(bounds).collect::<Result<Vec<_>, _>>()?;
        self.counted(runs, bounds)
    }

    /// The runs that have entries in their bounds, or the first where none has. Waits once, for how many those are.
    pub(crate) fn counted<'r, W: Value>(
        &self,
        runs: &'r [Run<B, K, W>],
        bounds: Vec<Bounds<B>>,
    ) -> Result<Vec<Hit<'r, B, K, W>>> {
        let totals: Vec<_> = bounds.iter().map(|bounds| &bounds.total).collect();
        let totals = self.backend.read_counts(&totals)?;
        let hits = runs.iter().zip(bounds).zip(totals);
        let hits = hits.map(|((run, bounds), total)| Hit { run, bounds, total: total as usize });
        let mut hits: Vec<_> = hits.collect();
        let most = hits.iter().map(|hit| hit.total).max();
        hits.retain(|hit| hit.total > 0 || most == Some(0));
        hits.truncate(if most == Some(0) { 1 } else { hits.len() });
        Ok(hits)
    }

    /// The live entries of all hits, of which there is one at least; refused where they have more entries than `most`.
    pub(crate) fn found<W: Value>(&self, hits: &[Hit<'_, B, K, W>], most: u64) -> Result<Found<B, K, W>> {
        self.check_candidates(hits, most)?;
        let (first, others) = hits.split_first().expect("there is a hit");
        let mut candidates = self.backend.expand(first.run, &first.bounds, first.total)?;
        for Hit { run, bounds, total } in others {
            candidates = self.backend.overlay(&candidates, run, bounds, *total)?;
        }
        if candidates.entries.marks.is_none()
            && hits[..hits.len() - 1].iter().all(|hit| hides_nothing(hit.run))
        {
            return Ok(Found { candidates, len: Some(total(hits) as usize) });
        }
        Ok(Found { candidates: self.backend.live(&candidates)?, len: None })
    }

    /// Refuses more candidates than one array can hold, or than `most`.
    fn check_candidates<W: Value>(&self, hits: &[Hit<'_, B, K, W>], most: u64) -> Result<()> {
        let entry_bytes = size_of::<K>().max(size_of::<W>());
        let limit = self.backend.max_len(entry_bytes).min(most);
        let entries = total(hits);
        // A total that is too large for 32 bits is the largest number.
        if entries > limit || hits.iter().any(|hit| hit.total == u32::MAX as usize) {
            let error = BackendError::TooLarge { entries, entry_bytes: entry_bytes as u64, limit };
            return Err(error.into());
        }
        Ok(())
    }

    /// The runs, newest first; an empty one where there is none.
    pub(crate) fn whole_runs(&self) -> Result<Vec<Run<B, K, V>>> {
        let runs: Vec<_> = self.runs().cloned().collect();
        if runs.is_empty() { Ok(vec![Run::empty(&self.backend)?]) } else { Ok(runs) }
    }

    /// The runs without their values, newest first; an empty one where there is none.
    pub(crate) fn keys_of_runs(&self) -> Result<Vec<Run<B, K, ()>>> {
        let without_values = |run: &Run<B, K, V>| {
            Ok(Run {
                keys: run.keys.clone(),
                values: self.backend.room(run.len)?,
                marks: run.marks.clone(),
                len: run.len,
                tombstones: run.tombstones,
                index: run.index.clone(),
                tally: run.tally.clone(),
            })
        };
        self.whole_runs()?.iter().map(without_values).collect()
    }
}
