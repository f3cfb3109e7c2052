//! successor, predecessor and scan: the live entries nearest to a key.
//!
//! Each run contributes a window: a few entries next to the query. The windows are laid over each other. Up to the
//! nearest end of any window no entry is missing, so a live entry before that end is the answer. A stretch of
//! tombstones longer than the windows leaves a query open. Open queries are asked again with longer windows or, if that
//! would be more work than tallying the runs, answered by counting.

use crate::core::Core;
use crate::dead::FEW;
use crate::each::{Each, PerQuery, iterates};
use crate::error::{Error, Result};
use crate::intervals::AT_ONCE;
use crate::key::Key;
use crate::levels::PlacedRun;
use crate::lists::copied;
use crate::tally::untallied;
use gpu_lsm_primitives::{
    Array, Backend, Candidates, Code, Meter, Nearby, Neighbours as NearestOnDevice, Value, Way, found,
};
use std::borrow::Cow;
use std::sync::PoisonError;

/// The number of entries of each run in the first window.
pub(crate) const WINDOW: u32 = 8;
/// The factor by which windows grow if they were too short.
pub(crate) const GROWTH: u32 = 8;
/// The number of entries that queries may walk through before counting is used: walking that far costs about as much as
/// the steps of counting.
const WALK: u64 = 1 << 15;

/// The entries nearest to a list of keys, in the order of the queries.
///
/// ```
/// use gpu_lsm::{Config, Device, Dictionary};
/// let tens = Dictionary::build(&Device::host(), Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
/// let next = tens.successor(&[11, 31])?;
/// assert_eq!(next.get(0), Some((20, 2)));
/// assert_eq!(next.iter().flatten().count(), 1);
/// assert_eq!((next.found(), next.keys(), next.values()), (&[1, 0][..], &[20, 0][..], &[2, 0][..]));
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
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

    /// The same with keys in place of codes.
    pub(crate) fn with_keys<T: Key<Code = K>>(self, meter: &Meter) -> Result<Neighbours<T, V>> {
        Ok(Neighbours { found: self.found, keys: T::keys(meter, self.keys)?, values: self.values })
    }

    /// The entry that query `i` found.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), [10u32, 20, 30], [1u32, 2, 3])?;
    /// let next = tens.successor([11, 31])?;
    /// assert_eq!((next.get(0), next.get(1)), (Some((20, 2)), None));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no query `i`.
    pub fn get(&self, i: usize) -> Option<(K, V)> {
        (self.found[i] == 1).then(|| (self.keys[i], self.values[i]))
    }

    /// The number of queries.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), [10u32, 20, 30], [1u32, 2, 3])?;
    /// let next = tens.successor([11, 31])?;
    /// assert_eq!(next.len(), 2);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there are no queries.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), [10u32, 20, 30], [1u32, 2, 3])?;
    /// let next = tens.successor([11, 31])?;
    /// assert!(!next.is_empty());
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The entries one by one.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), [10u32, 20, 30], [1u32, 2, 3])?;
    /// let next = tens.successor([11, 31])?;
    /// assert_eq!(next.iter().flatten().count(), 1);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn iter(&self) -> Each<'_, Self> {
        Each::of(self, self.len())
    }

    /// The entries as a vector.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), [10u32, 20, 30], [1u32, 2, 3])?;
    /// let next = tens.successor([11, 31])?;
    /// assert_eq!(next.to_vec(), [Some((20, 2)), None]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn to_vec(&self) -> Vec<Option<(K, V)>> {
        self.iter().collect()
    }

    /// For each query, 1 if there is such an entry, else 0; and its key and its value, zero if there is none.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), [10u32, 20, 30], [1u32, 2, 3])?;
    /// let next = tens.successor([11, 31])?;
    /// assert_eq!(next.into_parts(), (vec![1, 0], vec![20, 0], vec![2, 0]));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn into_parts(self) -> (Vec<u32>, Vec<K>, Vec<V>) {
        (self.found, self.keys, self.values)
    }

    /// For each query, 1 if there is such an entry, else 0.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), [10u32, 20, 30], [1u32, 2, 3])?;
    /// let next = tens.successor([11, 31])?;
    /// assert_eq!(next.found(), [1, 0]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn found(&self) -> &[u32] {
        &self.found
    }

    /// For each query, the key of the entry; zero if there is none.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), [10u32, 20, 30], [1u32, 2, 3])?;
    /// let next = tens.successor([11, 31])?;
    /// assert_eq!(next.keys(), [20, 0]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// For each query, the value of the entry; zero if there is none.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), [10u32, 20, 30], [1u32, 2, 3])?;
    /// let next = tens.successor([11, 31])?;
    /// assert_eq!(next.values(), [2, 0]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn values(&self) -> &[V] {
        &self.values
    }
}

impl<K: Copy, V: Copy> PerQuery for Neighbours<K, V> {
    type Answer<'a>
        = Option<(K, V)>
    where
        K: 'a,
        V: 'a;

    fn answer(&self, i: usize) -> Option<(K, V)> {
        self.get(i)
    }
}
iterates!(Neighbours<K, V>);

/// Live entries near some queries, and for each query the key up to which none is missing.
pub(crate) struct Near<B: Backend, K: Code, V: Value> {
    pub(crate) live: Candidates<B, K, V>,
    pub(crate) horizons: B::Array<K>,
}

/// Queries on the device, in one direction.
pub(crate) struct Queries<'a, B: Backend, K: Code> {
    pub(crate) keys: &'a B::Array<K>,
    pub(crate) way: Way,
}

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// The nearest live entry in one direction from each query, as many queries at a time as the device takes. A query
    /// without such an entry gets the key `missing`.
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

    /// Where searches may begin: after stretches that are known to be dead.
    pub(crate) fn past_the_dead<'q>(&self, queries: &'q [K], way: Way) -> Result<Cow<'q, [K]>> {
        let dead = self.dead.lock().unwrap_or_else(PoisonError::into_inner);
        if dead.is_empty() {
            return Ok(Cow::Borrowed(queries));
        }
        let starts = queries.iter().map(|&query| dead.skipped(query, way));
        Ok(Cow::Owned(copied(self.backend.meter(), starts)?))
    }

    /// Remembers the stretches between a few queries and the entries that they found.
    fn learn_dead(&self, queries: &[K], found: &[u32], keys: &[K], way: Way) {
        let mut dead = self.dead.lock().unwrap_or_else(PoisonError::into_inner);
        for ((&query, &found), &key) in queries.iter().zip(found).zip(keys) {
            let key = (found == found::PRESENT).then_some(key);
            match (way, key) {
                (_, Some(key)) if key == query => {}
                (Way::Down, Some(key)) => dead.learn(K::truncated(key.to_u64() + 1), query),
                (Way::Down, None) => dead.learn(K::MIN, query),
                // The query itself may be live. What lies behind it is not worth a case of its own.
                (Way::UpAfter, _) => {}
                (Way::Up, Some(key)) => dead.learn(query, K::truncated(key.to_u64() - 1)),
                (Way::Up, None) => dead.learn(query, K::MAX),
            }
        }
    }

    /// The nearest live entry in one direction from each query, possibly at the query itself, with at most `most`
    /// candidates at a time. Also returns whether any query was open after the first round. Waits twice for each length
    /// of the windows.
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

    /// Whether this many queries should walk through this many entries of each run: if that costs no more than the
    /// tallies that counting needs.
    pub(crate) fn is_worth_a_walk<W: Value>(
        &self,
        runs: &[PlacedRun<B, K, W>],
        queries: usize,
        window: u32,
    ) -> bool {
        let entries = (queries as u64 * runs.len() as u64).saturating_mul(u64::from(window));
        entries <= untallied(runs).max(WALK)
    }

    /// Answers the open queries by counting. Copies all answers to the host and back: either they are few, or many of
    /// them lie behind long dead stretches.
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

    /// The number of candidates at a time: `most`, or fewer if an array cannot hold that many.
    pub(crate) fn most_candidates(&self, most: u64) -> u64 {
        self.backend.max_len(size_of::<K>().max(size_of::<V>())).min(most)
    }

    /// The length of the first windows, shorter if that many windows would not fit. Refused if not even one entry per
    /// window fits.
    fn first_window(&self, windows: u64, most: u64) -> Result<u32> {
        let limit = self.most_candidates(most);
        if windows > limit {
            return Err(Error::TooManyCandidates { candidates: windows, limit });
        }
        Ok((limit / windows.max(1)).min(u64::from(WINDOW)) as u32)
    }

    /// The live entries of the open queries among the nearest `window` entries of each of one or more runs.
    pub(crate) fn near(
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
}
