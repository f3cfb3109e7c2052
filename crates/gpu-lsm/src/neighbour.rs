//! successor, predecessor and scan: the live entries nearest to a key.
//!
//! A window of a few entries of each run next to the query are laid over each other. Up to the nearest end of any of
//! these windows nothing is missing, so a live entry before that is the answer. Queries that this leaves open, for a
//! stretch of tombstones that is longer than the windows, are asked again with longer ones, so long as that is less work
//! than to merge all runs once for all of them.

use crate::core::Core;
use crate::error::Result;
use crate::range::{AT_ONCE, Hit};
use gpu_lsm_primitives::{Backend, Key, Run, Value, Way};

/// How many entries of each run are looked at first.
const WINDOW: u32 = 8;
/// How many times more are looked at where those were not enough.
const GROWTH: u32 = 64;
/// The fewest entries of each run that a scan looks at in one go.
const SCAN_WINDOW: u32 = 1024;

/// The entries nearest to a list of keys, in the order of the queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbours<K, V> {
    found: Vec<u32>,
    keys: Vec<K>,
    values: Vec<V>,
}

impl<K: Copy, V: Copy> Neighbours<K, V> {
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

impl<K: Key, V: Value> Neighbours<K, V> {
    fn set(&mut self, i: usize, (key, value): (K, V)) {
        (self.found[i], self.keys[i], self.values[i]) = (1, key, value);
    }
}

/// Live entries near some queries, on the host.
struct Near<K, V> {
    /// For each query, and one past the last, where its entries start; empty where no query has any.
    offsets: Vec<u32>,
    keys: Vec<K>,
    values: Vec<V>,
    /// For each query, up to where no entry is missing.
    horizons: Vec<K>,
}

/// What is known of the entry nearest to a query.
enum Nearest<K, V> {
    Entry(K, V),
    Nothing,
    /// It lies farther than the windows reach.
    Unknown,
}

impl<K: Key, V: Value> Near<K, V> {
    fn nearest(&self, query: usize, way: Way) -> Nearest<K, V> {
        let entries = match self.offsets.get(query..query + 2) {
            Some(ends) => ends[0] as usize..ends[1] as usize,
            None => 0..0,
        };
        let horizon = self.horizons[query];
        let (at, end) = match way {
            Way::Down => (entries.last(), K::MIN),
            Way::Up | Way::UpAfter => (entries.min(), K::MAX),
        };
        let is_before_horizon = |key: K| if way == Way::Down { key >= horizon } else { key <= horizon };
        match at {
            Some(at) if is_before_horizon(self.keys[at]) => Nearest::Entry(self.keys[at], self.values[at]),
            _ if horizon != end => Nearest::Unknown,
            _ => Nearest::Nothing,
        }
    }
}

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    /// The nearest live entry in one direction from each query, which may be that of the query itself.
    pub(crate) fn neighbours(&self, queries: &[K], way: Way) -> Result<Neighbours<K, V>> {
        self.backend.alive()?;
        let meter = self.backend.meter();
        let (mut found, mut keys, mut values) =
            (meter.vector(queries.len())?, meter.vector(queries.len())?, meter.vector(queries.len())?);
        found.resize(queries.len(), 0);
        keys.resize(queries.len(), K::zeroed());
        values.resize(queries.len(), V::zeroed());
        let mut neighbours = Neighbours { found, keys, values };

        let mut runs: Vec<_> = self.runs().cloned().collect();
        let entries: u64 = runs.iter().map(|run| run.len as u64).sum();
        let mut open = meter.vector(queries.len())?;
        open.extend(0..queries.len());
        let mut window = WINDOW;
        while !open.is_empty() && !runs.is_empty() {
            let work = open.len() as u64 * runs.len() as u64 * u64::from(window);
            if window > WINDOW && work > entries {
                // Without tombstones the nearest entry is the answer.
                (runs, window) = (vec![self.merged_runs(&runs)?], 1);
            }
            open = self.look_near(&runs, queries, way, window, &open, &mut neighbours)?;
            window = window.saturating_mul(GROWTH);
        }
        Ok(neighbours)
    }

    /// How many queries have so many candidates together as are worked on at once.
    fn queries_at_once(&self, candidates_each: u64) -> usize {
        let limit = self.backend.max_len(size_of::<K>().max(size_of::<V>())).min(AT_ONCE);
        usize::try_from(limit / candidates_each).unwrap_or(usize::MAX).max(1)
    }

    /// Answers those of the `open` queries that windows of each run can answer, and returns the rest.
    fn look_near(
        &self,
        runs: &[Run<B, K, V>],
        queries: &[K],
        way: Way,
        window: u32,
        open: &[usize],
        neighbours: &mut Neighbours<K, V>,
    ) -> Result<Vec<usize>> {
        let meter = self.backend.meter();
        let mut still_open = meter.vector(open.len())?;
        for piece in open.chunks(self.queries_at_once(runs.len() as u64 * u64::from(window))) {
            let mut keys = meter.vector(piece.len())?;
            keys.extend(piece.iter().map(|&i| queries[i]));
            let near = self.near(runs, &keys, way, window)?;
            for (query, &i) in piece.iter().enumerate() {
                match near.nearest(query, way) {
                    Nearest::Entry(key, value) => neighbours.set(i, (key, value)),
                    Nearest::Unknown => still_open.push(i),
                    Nearest::Nothing => {}
                }
            }
        }
        Ok(still_open)
    }

    /// The live entries among the nearest `window` entries of each of one or more runs.
    fn near(&self, runs: &[Run<B, K, V>], queries: &[K], way: Way, window: u32) -> Result<Near<K, V>> {
        let on_device = self.backend.upload(queries)?;
        let (first, others) = runs.split_first().expect("there are runs");
        let (bounds, mut horizons) = self.backend.window(first, &on_device, way, window, None)?;
        let mut windows = vec![bounds];
        for run in others {
            let (bounds, reached) = self.backend.window(run, &on_device, way, window, Some(horizons))?;
            horizons = reached;
            windows.push(bounds);
        }
        let totals: Vec<_> = windows.iter().map(|bounds| &bounds.total).collect();
        let totals = self.backend.read_counts(&totals)?;
        let hits = runs.iter().zip(windows).zip(totals);
        let hits = hits.map(|((run, bounds), total)| Hit { run, bounds, total: total as usize });
        let live = self.live_entries(hits.filter(|hit| hit.total > 0).collect(), queries.len())?;

        let horizons = self.backend.download(&horizons, queries.len())?;
        let Some(live) = live else {
            return Ok(Near { offsets: Vec::new(), keys: Vec::new(), values: Vec::new(), horizons });
        };
        let offsets = self.backend.offsets(&live, queries.len())?;
        let offsets = self.backend.download(&offsets, queries.len() + 1)?;
        let total = offsets[queries.len()] as usize;
        let keys = self.backend.download(&live.entries.keys, total)?;
        let values = self.backend.download(&live.entries.values, total)?;
        Ok(Near { offsets, keys, values, horizons })
    }

    /// Live entries from a key on, or after it, and up to where they are complete; perhaps none, where all that are near
    /// are tombstones.
    pub(crate) fn chunk(&self, from: K, way: Way, size: u32) -> Result<Chunk<K, V>> {
        self.backend.alive()?;
        let runs: Vec<_> = self.runs().cloned().collect();
        if runs.is_empty() {
            return Ok(Chunk { keys: Vec::new(), values: Vec::new(), reached: K::MAX });
        }
        let most = self.queries_at_once(runs.len() as u64);
        let window = size.max(SCAN_WINDOW).min(u32::try_from(most).unwrap_or(u32::MAX));
        let near = self.near(&runs, &[from], way, window)?;
        let reached = near.horizons[0];
        let (mut keys, mut values) = (near.keys, near.values);
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
