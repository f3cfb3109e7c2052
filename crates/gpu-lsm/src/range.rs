//! count and range: the live entries in intervals of keys, as merges by (query, key).
//!
//! The entries of a run in the intervals of all queries, laid one query after the other, are ordered by (query, key).
//! So those of all runs are laid over each other, newest first; tombstones go at the end, and what is left is the
//! answer. Work is spread over entries, not over queries.

use crate::core::Core;
use crate::error::{BackendError, Error, Result};
use gpu_lsm_primitives::{Backend, Bounds, Candidates, Key, Meter, Run, Start, Value};

/// The entries that a list of range queries found, in the order of the queries; for each query in ascending order of
/// keys. In compressed form: all entries in one list, and offsets that say where those of each query start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranges<K, V> {
    offsets: Vec<u64>,
    keys: Vec<K>,
    values: Vec<V>,
}

impl<K, V> Ranges<K, V> {
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

/// The most candidates of several queries that are worked on at once: enough to keep a device busy, and of bounded size.
pub(crate) const AT_ONCE: u64 = 1 << 26;

/// A list of intervals; the upper bounds are inclusive.
#[derive(Clone, Copy)]
pub(crate) struct Intervals<'a, K> {
    lower: &'a [K],
    upper: &'a [K],
    start: Start,
}

impl<'a, K: Key> Intervals<'a, K> {
    pub(crate) fn new(lower: &'a [K], upper: &'a [K], start: Start) -> Result<Self> {
        if lower.len() != upper.len() {
            return Err(Error::UnequalBounds { lower: lower.len(), upper: upper.len() });
        }
        Ok(Self { lower, upper, start })
    }

    fn len(&self) -> usize {
        self.lower.len()
    }

    /// The same keys in intervals that do not overlap, in ascending order.
    fn united(&self, meter: &Meter) -> Result<(Vec<K>, Vec<K>)> {
        let mut pairs: Vec<(K, K)> = meter.vector(self.len())?;
        pairs.extend(self.lower.iter().copied().zip(self.upper.iter().copied()).filter(|(l, u)| l <= u));
        pairs.sort_unstable();
        let (mut lower, mut upper): (Vec<K>, Vec<K>) =
            (meter.vector(pairs.len())?, meter.vector(pairs.len())?);
        for (low, up) in pairs {
            match upper.last_mut() {
                Some(last) if low <= *last => *last = up.max(*last),
                _ => {
                    lower.push(low);
                    upper.push(up);
                }
            }
        }
        Ok((lower, upper))
    }

    fn split_at(&self, at: usize) -> (Self, Self) {
        let ((lower, lower_rest), (upper, upper_rest)) = (self.lower.split_at(at), self.upper.split_at(at));
        (Self { lower, upper, ..*self }, Self { lower: lower_rest, upper: upper_rest, ..*self })
    }
}

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    /// How many live entries each interval has.
    pub(crate) fn count(&self, intervals: Intervals<'_, K>) -> Result<Vec<u64>> {
        self.backend.alive()?;
        let mut counts = self.backend.meter().vector(intervals.len())?;
        let runs = self.keys_of_runs()?;
        self.in_pieces(intervals, &mut |piece| self.count_piece(&runs, piece, &mut counts))?;
        Ok(counts)
    }

    /// The live entries of each interval, at most the first `limit` of each.
    pub(crate) fn range(&self, intervals: Intervals<'_, K>, limit: Option<u32>) -> Result<Ranges<K, V>> {
        self.backend.alive()?;
        let runs: Vec<_> = self.runs().cloned().collect();
        self.range_in(&runs, intervals, limit)
    }

    /// The live keys in any of the intervals, each once.
    pub(crate) fn keys_in(&self, intervals: Intervals<'_, K>) -> Result<Vec<K>> {
        self.backend.alive()?;
        let (lower, upper) = intervals.united(self.backend.meter())?;
        let intervals = Intervals::new(&lower, &upper, intervals.start)?;
        Ok(self.range_in(&self.keys_of_runs()?, intervals, None)?.keys)
    }

    fn range_in<W: Value>(
        &self,
        runs: &[Run<B, K, W>],
        intervals: Intervals<'_, K>,
        limit: Option<u32>,
    ) -> Result<Ranges<K, W>> {
        let meter = self.backend.meter();
        let offsets = meter.vector(intervals.len() + 1)?;
        let mut ranges = Ranges { offsets, keys: Vec::new(), values: Vec::new() };
        ranges.offsets.push(0);
        self.in_pieces(intervals, &mut |piece| {
            let found = match self.live_entries(self.hits(runs, piece)?, piece.len())? {
                Some(candidates) => Some(self.clipped(candidates, piece.len(), limit)?),
                None => None,
            };
            self.append(&mut ranges, found, piece.len())
        })?;
        Ok(ranges)
    }

    /// The first `limit` entries of each query, and where they start.
    fn clipped<W: Value>(
        &self,
        candidates: Candidates<B, K, W>,
        queries: usize,
        limit: Option<u32>,
    ) -> Result<Columns<B, K, W>> {
        let offsets = self.backend.offsets(&candidates, queries)?;
        let Some(limit) = limit else {
            return Ok(Columns { offsets, candidates });
        };
        let bounds = self.backend.clip(&offsets, limit)?;
        let total = self.backend.read_counts(&[&bounds.total])?[0] as usize;
        let entries = &candidates.entries;
        let list = Run {
            keys: entries.keys.clone(),
            values: entries.values.clone(),
            marks: None,
            len: entries.bound,
            tombstones: 0,
        };
        let candidates = self.backend.expand(&list, &bounds, total)?;
        Ok(Columns { offsets: bounds.offsets, candidates })
    }

    /// Copies what a piece of the queries found to the host.
    fn append<W: Value>(
        &self,
        ranges: &mut Ranges<K, W>,
        found: Option<Columns<B, K, W>>,
        queries: usize,
    ) -> Result<()> {
        let start = ranges.keys.len() as u64;
        let Some(Columns { offsets, candidates }) = found else {
            ranges.offsets.extend(std::iter::repeat_n(start, queries));
            return Ok(());
        };
        let offsets = self.backend.download(&offsets, queries + 1)?;
        let total = offsets[queries] as usize;
        let keys = self.backend.download(&candidates.entries.keys, total)?;
        let values = self.backend.download(&candidates.entries.values, total)?;
        extend(self.backend.meter(), &mut ranges.keys, keys)?;
        extend(self.backend.meter(), &mut ranges.values, values)?;
        ranges.offsets.extend(offsets[1..].iter().map(|&offset| start + u64::from(offset)));
        Ok(())
    }

    /// Appends the counts of some queries. Where only one run has anything, and no tombstone, that is what lies in its
    /// bounds.
    fn count_piece(
        &self,
        runs: &[Run<B, K, ()>],
        intervals: Intervals<'_, K>,
        counts: &mut Vec<u64>,
    ) -> Result<()> {
        let queries = intervals.len();
        let hits = self.hits(runs, intervals)?;
        if let [only] = &hits[..]
            && only.run.marks.is_none()
        {
            let lens = self.backend.download(&only.bounds.lens, queries)?;
            counts.extend(lens.into_iter().map(u64::from));
            return Ok(());
        }
        match self.live_entries(hits, queries)? {
            Some(live) => {
                let offsets = self.backend.offsets(&live, queries)?;
                let offsets = self.backend.download(&offsets, queries + 1)?;
                counts.extend(offsets.windows(2).map(|pair| u64::from(pair[1] - pair[0])));
            }
            None => counts.resize(counts.len() + queries, 0),
        }
        Ok(())
    }

    /// The runs, newest first, that have entries in any interval. Waits once, for how many those are.
    fn hits<'r, W: Value>(
        &self,
        runs: &'r [Run<B, K, W>],
        intervals: Intervals<'_, K>,
    ) -> Result<Vec<Hit<'r, B, K, W>>> {
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let lower = self.backend.upload(intervals.lower)?;
        let upper = self.backend.upload(intervals.upper)?;
        let bounds = |run| self.backend.bounds(run, &lower, &upper, intervals.start);
        let bounds = runs.iter().map(bounds).collect::<Result<Vec<_>, _>>()?;
        let totals: Vec<_> = bounds.iter().map(|bounds| &bounds.total).collect();
        let totals = self.backend.read_counts(&totals)?;
        let hits = runs.iter().zip(bounds).zip(totals);
        let hits = hits.map(|((run, bounds), total)| Hit { run, bounds, total: total as usize });
        Ok(hits.filter(|hit| hit.total > 0).collect())
    }

    /// The entries of all hits laid over each other, without tombstones; nothing where there are no hits.
    pub(crate) fn live_entries<W: Value>(
        &self,
        hits: Vec<Hit<'_, B, K, W>>,
        queries: usize,
    ) -> Result<Option<Candidates<B, K, W>>> {
        self.check_candidates(&hits, queries)?;
        let mut newest: Option<Candidates<B, K, W>> = None;
        for Hit { run, bounds, total } in hits {
            let older = self.backend.expand(run, &bounds, total)?;
            newest = Some(match newest {
                Some(newer) => self.backend.overlay(&newer, &older)?,
                None => older,
            });
        }
        match newest {
            Some(candidates) => Ok(Some(self.backend.live(candidates)?)),
            None => Ok(None),
        }
    }

    /// Refuses more candidates than one array can hold; and, of several queries, more than are worked on at once.
    fn check_candidates<W: Value>(&self, hits: &[Hit<'_, B, K, W>], queries: usize) -> Result<()> {
        let entry_bytes = size_of::<K>().max(size_of::<W>());
        let most = if queries > 1 { AT_ONCE } else { u64::MAX };
        let limit = self.backend.max_len(entry_bytes).min(most);
        let entries = hits.iter().map(|hit| hit.total as u64).sum();
        // A total that is too large for 32 bits is the largest number.
        if entries > limit || hits.iter().any(|hit| hit.total == u32::MAX as usize) {
            let error = BackendError::TooLarge { entries, entry_bytes: entry_bytes as u64, limit };
            return Err(error.into());
        }
        Ok(())
    }

    /// Calls `answer` with all queries at once or, where they have more candidates than one array holds, with pieces.
    fn in_pieces(
        &self,
        intervals: Intervals<'_, K>,
        answer: &mut impl FnMut(Intervals<'_, K>) -> Result<()>,
    ) -> Result<()> {
        let at_once = usize::try_from(self.backend.max_len(size_of::<K>()) - 1).unwrap_or(usize::MAX);
        if intervals.len() == 0 {
            return Ok(());
        }
        if intervals.len() <= at_once {
            match answer(intervals) {
                Err(Error::Backend(BackendError::TooLarge { .. })) if intervals.len() > 1 => {}
                result => return result,
            }
        }
        let (first, second) = intervals.split_at(intervals.len() / 2);
        self.in_pieces(first, answer)?;
        self.in_pieces(second, answer)
    }

    /// The runs without their values, newest first.
    fn keys_of_runs(&self) -> Result<Vec<Run<B, K, ()>>> {
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

/// A run, and what it has in the intervals of a list of queries.
pub(crate) struct Hit<'r, B: Backend, K: Key, W: Value> {
    pub(crate) run: &'r Run<B, K, W>,
    pub(crate) bounds: Bounds<B>,
    /// How many entries; the largest number where they are more than 32 bits can say.
    pub(crate) total: usize,
}

/// Entries, and where those of each query start.
struct Columns<B: Backend, K: Key, W: Value> {
    offsets: B::Array<u32>,
    candidates: Candidates<B, K, W>,
}

/// Appends, or fails where there is no room.
pub(crate) fn extend<T>(meter: &Meter, list: &mut Vec<T>, more: Vec<T>) -> Result<()> {
    if list.is_empty() {
        *list = more;
    } else if list.capacity() - list.len() >= more.len() {
        list.extend(more);
    } else {
        let mut longer = meter.vector((list.len() + more.len()).max(2 * list.capacity()))?;
        longer.append(list);
        longer.extend(more);
        *list = longer;
    }
    Ok(())
}
