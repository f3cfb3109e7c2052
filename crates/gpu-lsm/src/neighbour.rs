//! successor, predecessor and scan: the live entries nearest to a key.
//!
//! A few entries of each run next to the query are laid over each other. Up to the nearest end of any of these windows
//! nothing is missing, so a live entry before that is the answer. Where there is none, for a stretch of tombstones that
//! is longer than the windows, all runs are merged once for all such queries, and the answer is next to the query there.

use crate::core::Core;
use crate::error::Result;
use gpu_lsm_primitives::{Backend, Key, Run, Value, Way};

/// How many entries of each run are looked at first.
const WINDOW: u32 = 8;

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
    /// For each query, and one past the last, where its entries start.
    offsets: Vec<u32>,
    keys: Vec<K>,
    values: Vec<V>,
    /// For each query, up to where no entry is missing.
    horizons: Vec<K>,
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

        let runs: Vec<_> = self.runs().cloned().collect();
        let per_query = runs.len().max(1) as u64 * u64::from(WINDOW);
        let widest = size_of::<K>().max(size_of::<V>());
        let at_once = (self.backend.max_len(widest) / per_query).max(1);
        let at_once = usize::try_from(at_once).unwrap_or(usize::MAX);
        let mut open = Vec::new();
        for (piece, queries) in queries.chunks(at_once).enumerate() {
            self.look_near(&runs, queries, way, piece * at_once, &mut neighbours, &mut open)?;
        }
        if !open.is_empty() {
            self.look_far(&runs, queries, way, &mut neighbours, &open)?;
        }
        Ok(neighbours)
    }

    /// Answers what a few entries of each run can answer, and notes the rest in `open`.
    fn look_near(
        &self,
        runs: &[Run<B, K, V>],
        queries: &[K],
        way: Way,
        first: usize,
        neighbours: &mut Neighbours<K, V>,
        open: &mut Vec<usize>,
    ) -> Result<()> {
        let Some(near) = self.near(runs, queries, way, WINDOW)? else { return Ok(()) };
        for i in 0..queries.len() {
            let entries = near.offsets[i] as usize..near.offsets[i + 1] as usize;
            let (nearest, is_certain, is_cut): (_, fn(K, K) -> bool, _) = match way {
                Way::Down => {
                    (entries.clone().next_back(), |key, horizon| key >= horizon, near.horizons[i] > K::MIN)
                }
                _ => (entries.clone().next(), |key, horizon| key <= horizon, near.horizons[i] < K::MAX),
            };
            match nearest {
                Some(at) if is_certain(near.keys[at], near.horizons[i]) => {
                    neighbours.set(first + i, (near.keys[at], near.values[at]));
                }
                _ if is_cut => open.push(first + i),
                _ => {}
            }
        }
        Ok(())
    }

    /// Answers the `open` queries from a merge of all runs.
    fn look_far(
        &self,
        runs: &[Run<B, K, V>],
        queries: &[K],
        way: Way,
        neighbours: &mut Neighbours<K, V>,
        open: &[usize],
    ) -> Result<()> {
        let merged = self.merged_runs(runs)?;
        let far: Vec<K> = open.iter().map(|&i| queries[i]).collect();
        let Some(near) = self.near(&[merged], &far, way, 1)? else { return Ok(()) };
        for (query, &i) in open.iter().enumerate() {
            if near.offsets[query] < near.offsets[query + 1] {
                let at = near.offsets[query] as usize;
                neighbours.set(i, (near.keys[at], near.values[at]));
            }
        }
        Ok(())
    }

    /// The live entries among the nearest `window` entries of each run; nothing where there are no runs.
    fn near(
        &self,
        runs: &[Run<B, K, V>],
        queries: &[K],
        way: Way,
        window: u32,
    ) -> Result<Option<Near<K, V>>> {
        if runs.is_empty() || queries.is_empty() {
            return Ok(None);
        }
        let on_device = self.backend.upload(queries)?;
        let mut horizons = None;
        let mut windows = Vec::new();
        for run in runs {
            let (bounds, reached) = self.backend.window(run, &on_device, way, window, horizons)?;
            horizons = Some(reached);
            windows.push(bounds);
        }
        let totals: Vec<_> = windows.iter().map(|bounds| &bounds.total).collect();
        let totals = self.backend.read_counts(&totals)?;
        let mut newest = None;
        for ((run, bounds), total) in runs.iter().zip(&windows).zip(totals) {
            let older = self.backend.expand(run, bounds, total as usize)?;
            newest = Some(match newest {
                Some(newer) => self.backend.overlay(&newer, &older)?,
                None => older,
            });
        }
        let (Some(candidates), Some(horizons)) = (newest, horizons) else { return Ok(None) };
        let live = self.backend.live(candidates)?;
        let offsets = self.backend.offsets(&live, queries.len())?;
        let offsets = self.backend.download(&offsets, queries.len() + 1)?;
        let total = offsets[queries.len()] as usize;
        Ok(Some(Near {
            offsets,
            keys: self.backend.download(&live.entries.keys, total)?,
            values: self.backend.download(&live.entries.values, total)?,
            horizons: self.backend.download(&horizons, queries.len())?,
        }))
    }

    /// The next live entries from a key on, or after it: at least one where there is any, and up to where to go on.
    pub(crate) fn chunk(&self, from: K, way: Way, size: u32) -> Result<Chunk<K, V>> {
        self.backend.alive()?;
        let runs: Vec<_> = self.runs().cloned().collect();
        let Some(near) = self.near(&runs, &[from], way, size)? else {
            return Ok(Chunk { keys: Vec::new(), values: Vec::new(), reached: K::MAX });
        };
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
