//! The queries of all shards, with answers in the caller's order.

use super::asked::{Part, by_shard, filled, picked, put_together};
use super::route::{Route, shard_of};
use super::snapshot::ShardedSnapshot;
use crate::column::{Keys, check_bounds};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::lookup::Answers;
use crate::neighbour::Neighbours;
use crate::range::Ranges;
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::{Start, Value, Way};
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Keys and intervals may be in the host's memory or in buffers on any of the devices. If there are several shards, or the
/// only one is on another device, buffers are copied to the host first, which [`statistics`](Self::statistics) count.
impl<K: Key, V: Value> ShardedSnapshot<K, V> {
    /// Looks up keys, as [`Snapshot::lookup`] does. Waits for the devices.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let squares = Sharded::build(&[Device::host()], Config::new(), &[1u32, 2, 3], &[1u32, 4, 9])?;
    /// assert_eq!(squares.lookup(&[2, 5])?.to_vec(), [Some(4), None]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a buffer is on none of the devices, memory runs out, or a device with some of the keys is lost.
    pub fn lookup<'a>(&self, keys: impl Into<Keys<'a, K>>) -> Result<Answers<V>> {
        let keys = keys.into();
        if let Some(only) = self.only(&[&keys]) {
            return self.of_only(only.lookup(keys));
        }
        let (meter, keys) = (&self.meter, self.on_host(keys)?);
        let _returned = meter.returned((keys.len() as u64).saturating_mul(4 + size_of::<V>() as u64))?;
        let route = self.route(&keys)?;
        let tasks = route.split(meter, &keys)?.into_iter().enumerate().filter(|(_, keys)| !keys.is_empty());
        let tasks: Vec<_> = tasks.collect();
        let shards: Vec<usize> = tasks.iter().map(|(shard, _)| *shard).collect();
        let answers = self.on_shards(tasks, |state, keys| state.lookup(keys))?;
        let (mut found, mut values) =
            (vec![Vec::new(); route.lens.len()], vec![Vec::new(); route.lens.len()]);
        for (shard, answers) in shards.into_iter().zip(answers) {
            (found[shard], values[shard]) = answers.into_parts();
        }
        Ok(Answers::new(route.join(meter, &found)?, route.join(meter, &values)?))
    }

    /// Counts the entries in intervals, as [`Snapshot::count`] does. Waits for the devices.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let primes = Sharded::build_set(&[Device::host()], Config::new(), &[2u32, 3, 5, 7, 11])?;
    /// assert_eq!(primes.count(&[0, 3, 8, 9], &[10, 7, 10, 1])?, [4, 3, 0, 0]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bounds differ in number, a buffer is on none of the devices, memory runs out, or a device with keys of an
    /// interval is lost.
    pub fn count<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
    ) -> Result<Vec<u64>> {
        let (lower, upper) = (lower.into(), upper.into());
        if let Some(only) = self.only(&[&lower, &upper]) {
            return self.of_only(only.count(lower, upper));
        }
        let [lower, upper] = self.bounds_on_host(lower, upper)?;
        let _returned = self.meter.returned((lower.len() as u64).saturating_mul(8))?;
        let mut counts = filled(&self.meter, lower.len(), 0)?;
        let lists = by_shard(&self.meter, self.shards.len(), self.needs(&lower, &upper))?;
        let parts = self.ask(lists, &lower, &upper, |state, lower, upper| state.count(lower, upper))?;
        for (queries, part) in parts {
            for (query, count) in queries.into_iter().zip(part) {
                counts[query] += count;
            }
        }
        Ok(counts)
    }

    /// Finds the entries in intervals, as [`Snapshot::range`] does. Waits for the devices.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let squares = Sharded::build(&[Device::host()], Config::new(), &[1u32, 2, 3, 4], &[1u32, 4, 9, 16])?;
    /// let found = squares.range(&[2, 9], &[3, 9])?;
    /// assert_eq!(found.get(0), (&[2, 3][..], &[4, 9][..]));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
    pub fn range<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
    ) -> Result<Ranges<K, V>> {
        self.found(lower.into(), upper.into(), |state, lower, upper| state.range(lower, upper))
    }

    /// What a query finds between keys, in the shards that have such keys.
    pub(super) fn found(
        &self,
        lower: Keys<'_, K>,
        upper: Keys<'_, K>,
        query: impl Fn(&Snapshot<K, V>, Keys<'_, K>, Keys<'_, K>) -> Result<Ranges<K, V>> + Send + Sync,
    ) -> Result<Ranges<K, V>> {
        if let Some(only) = self.only(&[&lower, &upper]) {
            return self.of_only(query(only, lower, upper));
        }
        let [lower, upper] = self.bounds_on_host(lower, upper)?;
        let lists = by_shard(&self.meter, self.shards.len(), self.needs(&lower, &upper))?;
        let ask =
            |state: &Snapshot<K, V>, lower: Vec<K>, upper: Vec<K>| query(state, lower.into(), upper.into());
        let parts = self.ask(lists, &lower, &upper, ask)?;
        let parts: Vec<_> = parts.into_iter().map(|(queries, found)| Part { queries, found }).collect();
        put_together(&self.meter, lower.len(), u64::MAX, &parts)
    }

    /// Finds at most the first `limit` entries of each interval, as [`Snapshot::range_first`] does. Waits for the
    /// devices, and again if a shard has too few entries of an interval that goes on in the next one.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let digits = Sharded::build_set(&[Device::host()], Config::new(), &[0u32, 1, 2, 3, 4])?;
    /// assert_eq!(digits.range_first(&[1, 4], &[9, 9], 2)?.keys(), [1, 2, 4]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
    pub fn range_first<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
        limit: u32,
    ) -> Result<Ranges<K, V>> {
        self.pages(lower.into(), upper.into(), Start::At, limit)
    }

    /// Like [`range_first`](Self::range_first), but each interval starts *after* its key in `after`. Waits as that does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let digits = Sharded::build_set(&[Device::host()], Config::new(), &[0u32, 1, 2, 3, 4])?;
    /// assert_eq!(digits.range_after(&[1], &[9], 2)?.keys(), [2, 3]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
    pub fn range_after<'a, 'b>(
        &self,
        after: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
        limit: u32,
    ) -> Result<Ranges<K, V>> {
        self.pages(after.into(), upper.into(), Start::After, limit)
    }

    fn pages(
        &self,
        lower: Keys<'_, K>,
        upper: Keys<'_, K>,
        start: Start,
        limit: u32,
    ) -> Result<Ranges<K, V>> {
        let page = |state: &Snapshot<K, V>, lower: Keys<'_, K>, upper: Keys<'_, K>| match start {
            Start::At => state.range_first(lower, upper, limit),
            Start::After => state.range_after(lower, upper, limit),
        };
        if let Some(only) = self.only(&[&lower, &upper]) {
            return self.of_only(page(only, lower, upper));
        }
        let [lower, upper] = self.bounds_on_host(lower, upper)?;
        let mut needs = self.meter.vector(lower.len())?;
        needs.extend(self.needs(&lower, &upper));
        let mut missing = filled(&self.meter, lower.len(), limit as usize)?;
        let mut parts: Vec<Part<K, V>> = Vec::new();
        // A query is asked of its next shard if those before had too few entries.
        for round in 0..self.shards.len() {
            let next = needs.iter().zip(&missing).map(|(needs, &missing)| {
                let shard = needs.start() + round;
                let is_open = shard <= *needs.end() && missing > 0;
                if is_open { shard..=shard } else { NOWHERE }
            });
            let lists = by_shard(&self.meter, self.shards.len(), next)?;
            if lists.iter().all(Vec::is_empty) {
                break;
            }
            for (queries, found) in self
                .ask(lists, &lower, &upper, |state, lower, upper| page(state, lower.into(), upper.into()))?
            {
                for (&query, (keys, _)) in queries.iter().zip(&found) {
                    missing[query] = missing[query].saturating_sub(keys.len());
                }
                parts.push(Part { queries, found });
            }
        }
        put_together(&self.meter, lower.len(), u64::from(limit), &parts)
    }

    /// Finds the first entry at or after each key, as [`Snapshot::successor`] does. Waits for the devices, and again if
    /// a shard has no such entry but the next one may.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let tens = Sharded::build(&[Device::host()], Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
    /// assert_eq!(tens.successor(&[11, 31])?.to_vec(), [Some((20, 2)), None]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`lookup`](Self::lookup).
    pub fn successor<'a>(&self, keys: impl Into<Keys<'a, K>>) -> Result<Neighbours<K, V>> {
        self.neighbours(keys.into(), Way::Up)
    }

    /// Finds the last entry at or before each key, as [`Snapshot::predecessor`] does. Waits as
    /// [`successor`](Self::successor) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let tens = Sharded::build(&[Device::host()], Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
    /// assert_eq!(tens.predecessor(&[5, 29])?.to_vec(), [None, Some((20, 2))]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`lookup`](Self::lookup).
    pub fn predecessor<'a>(&self, keys: impl Into<Keys<'a, K>>) -> Result<Neighbours<K, V>> {
        self.neighbours(keys.into(), Way::Down)
    }

    fn neighbours(&self, keys: Keys<'_, K>, way: Way) -> Result<Neighbours<K, V>> {
        let nearest = |state: &Snapshot<K, V>, keys: Keys<'_, K>| match way {
            Way::Down => state.predecessor(keys),
            Way::Up | Way::UpAfter => state.successor(keys),
        };
        if let Some(only) = self.only(&[&keys]) {
            return self.of_only(nearest(only, keys));
        }
        let (meter, asked) = (&self.meter, self.on_host(keys)?);
        let bytes = (4 + size_of::<K>() + size_of::<V>()) as u64;
        let _returned = meter.returned((asked.len() as u64).saturating_mul(bytes))?;
        let mut found = filled(meter, asked.len(), 0)?;
        let (mut keys, mut values) =
            (filled(meter, asked.len(), K::zero())?, filled(meter, asked.len(), V::zeroed())?);
        let route = self.route(&asked)?;
        // A key is asked of its next shard if those before had no entry for it.
        for round in 0..self.shards.len() {
            let next = route.shards().zip(&found).map(|(shard, &found)| {
                let shard = if way == Way::Down { shard.checked_sub(round) } else { Some(shard + round) };
                match shard.filter(|shard| found == 0 && *shard < self.shards.len()) {
                    Some(shard) => shard..=shard,
                    None => NOWHERE,
                }
            });
            let lists = by_shard(meter, self.shards.len(), next)?;
            if lists.iter().all(Vec::is_empty) {
                break;
            }
            for (queries, part) in
                self.ask(lists, &asked, &[], |state, keys, _| nearest(state, keys.into()))?
            {
                for (query, entry) in queries.into_iter().zip(&part) {
                    if let Some((key, value)) = entry {
                        (found[query], keys[query], values[query]) = (1, key, value);
                    }
                }
            }
        }
        Ok(Neighbours::new(found, keys, values))
    }

    /// Asks each shard a list of queries. Returns the queries of each shard that has any, with its answers.
    fn ask<R: Send>(
        &self,
        lists: Vec<Vec<usize>>,
        lower: &[K],
        upper: &[K],
        answer: impl Fn(&Snapshot<K, V>, Vec<K>, Vec<K>) -> Result<R> + Send + Sync,
    ) -> Result<Vec<(Vec<usize>, R)>> {
        let meter = &self.meter;
        let tasks = lists.into_iter().enumerate().filter(|(_, queries)| !queries.is_empty());
        self.on_shards(tasks.collect(), |state, queries| {
            let lower = picked(meter, lower, &queries)?;
            let upper = if upper.is_empty() { Vec::new() } else { picked(meter, upper, &queries)? };
            Ok((queries, answer(state, lower, upper)?))
        })
    }

    /// The shards that each interval needs.
    fn needs<'a>(
        &self,
        lower: &'a [K],
        upper: &'a [K],
    ) -> impl Iterator<Item = RangeInclusive<usize>> + Clone + use<'a, K, V> {
        let starts = self.starts();
        lower.iter().zip(upper).map(move |(lower, upper)| {
            let (lower, upper) = (lower.to_code(), upper.to_code());
            if lower > upper { NOWHERE } else { shard_of(&starts, lower)..=shard_of(&starts, upper) }
        })
    }

    /// The lower and the upper bounds that each shard needs, for the shards that need any.
    pub(super) fn intervals_by_shard(&self, lower: &[K], upper: &[K]) -> Result<Vec<(usize, [Vec<K>; 2])>> {
        let lists = by_shard(&self.meter, self.shards.len(), self.needs(lower, upper))?;
        let parts = lists.iter().enumerate().filter(|(_, queries)| !queries.is_empty());
        let picked = |bounds: &[K], queries: &[usize]| picked(&self.meter, bounds, queries);
        parts
            .map(|(shard, queries)| Ok((shard, [picked(lower, queries)?, picked(upper, queries)?])))
            .collect()
    }

    pub(super) fn route(&self, keys: &[K]) -> Result<Route> {
        Route::new(&self.meter, &self.starts(), keys.iter().map(|key| key.to_code()))
    }

    fn bounds_on_host<'a>(&self, lower: Keys<'a, K>, upper: Keys<'a, K>) -> Result<[Cow<'a, [K]>; 2]> {
        check_bounds(&lower, &upper)?;
        Ok([self.on_host(lower)?, self.on_host(upper)?])
    }

    /// The result of the only shard.
    pub(super) fn of_only<R>(&self, result: Result<R, Error>) -> Result<R> {
        result.map_err(|error| self.told(0, error))
    }
}

/// The shards of a query that needs none.
#[expect(clippy::reversed_empty_ranges, reason = "it has no element")]
const NOWHERE: RangeInclusive<usize> = 1..=0;
