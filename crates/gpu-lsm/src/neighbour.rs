//! successor, predecessor and scan: the live entries nearest to a key.
//!
//! A window of a few entries of each run next to the query are laid over each other. Up to the nearest end of any of
//! these windows nothing is missing, so a live entry before that is the answer. Queries that this leaves open, for a
//! stretch of tombstones that is longer than the windows, are asked again with longer ones; and, where that would be more
//! work than to tally the runs, answered by counting.

use crate::core::Core;
use crate::dead::FEW;
use crate::error::{BackendError, Result};
use crate::intervals::AT_ONCE;
use crate::levels::PlacedRun;
use crate::lists::copied;
use crate::tally::untallied;
use gpu_lsm_primitives::{
    Array, Backend, Candidates, Key, Meter, Nearby, Neighbours as NearestOnDevice, Value, Way, found,
};
use std::borrow::Cow;
use std::sync::PoisonError;

/// How many entries of each run are looked at first.
pub(crate) const WINDOW: u32 = 8;
/// How many times more are looked at where those were not enough.
pub(crate) const GROWTH: u32 = 8;
/// How many entries are walked through at once before anybody counts: as dear as the steps of counting.
const WALK: u64 = 1 << 15;

/// The entries nearest to a list of keys, in the order of the queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbours<K, V> {
    found: Vec<u32>,
    keys: Vec<K>,
    values: Vec<V>,
}

impl<K: Copy, V: Copy> Neighbours<K, V> {
    pub(crate) fn new(found: Vec<u32>, keys: Vec<K>, values: Vec<V>) -> Self {
        Self { found, keys, values }
    }

    /// The same with the keys that codes stand for.
    pub(crate) fn with_keys<T: crate::Key<Code = K>>(self, meter: &Meter) -> Result<Neighbours<T, V>> {
        Ok(Neighbours { found: self.found, keys: T::keys(meter, self.keys)?, values: self.values })
    }

    /// The entry that the `i`-th query found.
    ///
    /// # Panics
    /// Where there were not so many queries.
    pub fn get(&self, i: usize) -> Option<(K, V)> {
        (self.found[i] == 1).then(|| (self.keys[i], self.values[i]))
    }

    /// How many queries there were.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there were no queries.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The entries one by one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<(K, V)>> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// For each query 1 where there is such an entry, else 0.
    pub fn found(&self) -> &[u32] {
        &self.found
    }

    /// For each query the key of the entry, zero where there is none.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// For each query the value of the entry, zero where there is none.
    pub fn values(&self) -> &[V] {
        &self.values
    }
}

/// Live entries near some queries, and up to where none is missing.
struct Near<B: Backend, K: Key, V: Value> {
    live: Candidates<B, K, V>,
    horizons: B::Array<K>,
}

/// Queries on the device, in one direction.
struct Queries<'a, B: Backend, K: Key> {
    keys: &'a B::Array<K>,
    way: Way,
}

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    /// The nearest live entry in one direction from each query, as many at a time as the device takes; the key of what
    /// is not there is `missing`.
    pub(crate) fn neighbours_slice(&self, queries: &[K], way: Way, missing: K) -> Result<Neighbours<K, V>> {
        self.backend.alive()?;
        let meter = self.backend.meter();
        let answer_bytes = (4 + size_of::<K>() + size_of::<V>()) as u64;
        let _returned = meter.returned((queries.len() as u64).saturating_mul(answer_bytes))?;
        let mut all = Neighbours {
            found: meter.vector(queries.len())?,
            keys: meter.vector(queries.len())?,
            values: meter.vector(queries.len())?,
        };
        let runs = self.runs().count().max(1) as u64;
        let at_once =
            usize::try_from(self.most_candidates(AT_ONCE) / (runs * u64::from(WINDOW))).unwrap_or(usize::MAX);
        for queries in queries.chunks(at_once.max(1)) {
            let starts = self.past_the_dead(queries, way)?;
            let (found, was_open) = self.neighbours(&self.backend.upload(&starts)?, way, missing, AT_ONCE)?;
            let done = all.found.len();
            all.found.extend(self.backend.download(&found.found, queries.len())?);
            all.keys.extend(self.backend.download(&found.keys, queries.len())?);
            all.values.extend(self.backend.download(&found.values, queries.len())?);
            if was_open && queries.len() <= FEW {
                self.learn_dead(queries, &all.found[done..], &all.keys[done..], way);
            }
        }
        Ok(all)
    }

    /// Where searches may begin: past stretches that are known to be dead.
    pub(crate) fn past_the_dead<'q>(&self, queries: &'q [K], way: Way) -> Result<Cow<'q, [K]>> {
        let dead = self.dead.lock().unwrap_or_else(PoisonError::into_inner);
        if dead.is_empty() {
            return Ok(Cow::Borrowed(queries));
        }
        let starts = queries.iter().map(|&query| dead.skipped(query, way));
        Ok(Cow::Owned(copied(self.backend.meter(), starts)?))
    }

    /// Remembers the stretches between a few queries and what they found.
    fn learn_dead(&self, queries: &[K], found: &[u32], keys: &[K], way: Way) {
        let mut dead = self.dead.lock().unwrap_or_else(PoisonError::into_inner);
        for ((&query, &found), &key) in queries.iter().zip(found).zip(keys) {
            let key = (found == found::PRESENT).then_some(key);
            match (way, key) {
                (_, Some(key)) if key == query => {}
                (Way::Down, Some(key)) => dead.learn(K::truncated(key.to_u64() + 1), query),
                (Way::Down, None) => dead.learn(K::MIN, query),
                (Way::Up | Way::UpAfter, Some(key)) => dead.learn(query, K::truncated(key.to_u64() - 1)),
                (Way::Up | Way::UpAfter, None) => dead.learn(query, K::MAX),
            }
        }
    }

    /// The nearest live entry in one direction from each query, which may be that of the query itself, with at most `most`
    /// candidates at once; and whether any query was left open at first. Waits twice for each length of the windows.
    pub(crate) fn neighbours(
        &self,
        keys: &B::Array<K>,
        way: Way,
        missing: K,
        most: u64,
    ) -> Result<(NearestOnDevice<B, K, V>, bool)> {
        self.backend.alive()?;
        let queries = Queries::<B, K> { keys, way };
        let runs = self.whole_runs()?;
        let mut window = self.first_window(keys.len() as u64 * runs.len() as u64, most)?;
        let mut before: Option<NearestOnDevice<B, K, V>> = None;
        loop {
            let states = before.as_ref().map(|before| &before.found);
            let was_open = states.is_some();
            let near = self.near(&runs, &queries, window, states)?;
            let nearby =
                Nearby { entries: &near.live.entries, offsets: &near.live.offsets, horizons: &near.horizons };
            let (nearest, open) = self.backend.nearest(&nearby, way, missing, before)?;
            let open = self.backend.read_counts(&[&open])?[0] as usize;
            if open == 0 {
                return Ok((nearest, was_open));
            }
            window = window.saturating_mul(GROWTH);
            let candidates = (open as u64 * runs.len() as u64).saturating_mul(u64::from(window));
            if candidates > self.most_candidates(most) || !self.is_worth_a_walk(&runs, open, window) {
                return Ok((self.sought(&queries, &nearest, missing)?, true));
            }
            before = Some(nearest);
        }
    }

    /// Whether so many queries may walk through so many entries of each run: what that costs is not more than tallies of
    /// the runs, which counting needs.
    pub(crate) fn is_worth_a_walk<W: Value>(
        &self,
        runs: &[PlacedRun<B, K, W>],
        queries: usize,
        window: u32,
    ) -> bool {
        let entries = (queries as u64 * runs.len() as u64).saturating_mul(u64::from(window));
        entries <= untallied(runs).max(WALK)
    }

    /// Answers what is open by counting. Copies all answers to the host and back: they are few, or long stretches are
    /// dead before many of them.
    fn sought(
        &self,
        queries: &Queries<'_, B, K>,
        nearest: &NearestOnDevice<B, K, V>,
        missing: K,
    ) -> Result<NearestOnDevice<B, K, V>> {
        let len = queries.keys.len();
        let keys = self.backend.download(queries.keys, len)?;
        let mut found = self.backend.download(&nearest.found, len)?;
        let open = copied(self.backend.meter(), (0..len).map(|i| (i, found[i])))?;
        let open = || open.iter().filter(|&&(_, state)| state == found::OPEN).map(|&(i, _)| i);
        let mut open_keys: Vec<K> = self.backend.meter().vector(open().count())?;
        open_keys.extend(open().map(|i| keys[i]));
        let sought = self.seek(&open_keys, queries.way)?;
        let answers = self.lookup_slice(&sought)?;
        let mut found_keys = self.backend.download(&nearest.keys, len)?;
        let mut values = self.backend.download(&nearest.values, len)?;
        for (i, (key, answer)) in open().zip(sought.into_iter().zip(answers.iter())) {
            (found[i], found_keys[i], values[i]) = match answer {
                Some(value) => (found::PRESENT, key, value),
                None => (found::MISSING, missing, V::zeroed()),
            };
        }
        let backend = &self.backend;
        let (keys, values) = (backend.upload(&found_keys)?, backend.upload(&values)?);
        Ok(NearestOnDevice { found: backend.upload(&found)?, keys, values })
    }

    /// How many candidates are worked on at once: `most`, or fewer where an array can't have so many.
    fn most_candidates(&self, most: u64) -> u64 {
        self.backend.max_len(size_of::<K>().max(size_of::<V>())).min(most)
    }

    /// The length of the first windows, where so many have room; refused where there is none for a single entry each.
    fn first_window(&self, windows: u64, most: u64) -> Result<u32> {
        let limit = self.most_candidates(most);
        if windows > limit {
            let entry_bytes = size_of::<K>().max(size_of::<V>()) as u64;
            return Err(BackendError::TooLarge { entries: windows, entry_bytes, limit }.into());
        }
        Ok((limit / windows.max(1)).min(u64::from(WINDOW)) as u32)
    }

    /// The live entries among the nearest `window` entries of each of one or more runs, of the queries that are open.
    fn near(
        &self,
        runs: &[PlacedRun<B, K, V>],
        queries: &Queries<'_, B, K>,
        window: u32,
        states: Option<&B::Array<u32>>,
    ) -> Result<Near<B, K, V>> {
        let Queries { keys, way } = *queries;
        let (first, others) = runs.split_first().expect("there are runs");
        let (bounds, mut horizons) = self.backend.window(first, keys, way, window, None, states)?;
        let mut windows = vec![bounds];
        for run in others {
            let (bounds, reached) = self.backend.window(run, keys, way, window, Some(horizons), states)?;
            horizons = reached;
            windows.push(bounds);
        }
        let live = self.found(&self.counted(runs, windows)?, u64::MAX)?.candidates;
        Ok(Near { live, horizons })
    }

    /// Live entries from a key on, or after it, and up to where they are complete; perhaps none, where all that are near
    /// are tombstones.
    pub(crate) fn chunk(&self, from: K, way: Way, size: u32) -> Result<Chunk<K, V>> {
        self.backend.alive()?;
        let runs = self.whole_runs()?;
        let most = (self.most_candidates(AT_ONCE) / runs.len() as u64).max(1);
        let window = size.min(u32::try_from(most).unwrap_or(u32::MAX));
        let queries = Queries::<B, K> { keys: &self.backend.upload(&[from])?, way };
        let near = self.near(&runs, &queries, window, None)?;
        let reached = self.backend.download(&near.horizons, 1)?[0];
        let total = self.backend.download(&near.live.offsets, 2)?[1] as usize;
        let mut keys = self.backend.download(&near.live.entries.keys, total)?;
        let mut values = self.backend.download(&near.live.entries.values, total)?;
        let certain = keys.partition_point(|key| *key <= reached);
        keys.truncate(certain);
        values.truncate(certain);
        Ok(Chunk { keys, values, reached })
    }
}

/// Live entries in order, and the key up to which they are complete: the largest key where nothing follows.
pub(crate) struct Chunk<K, V> {
    pub(crate) keys: Vec<K>,
    pub(crate) values: Vec<V>,
    pub(crate) reached: K,
}
