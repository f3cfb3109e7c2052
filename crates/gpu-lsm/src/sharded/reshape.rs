//! Splits, joins and moves of shards, before a change is made.

use super::places::Place;
use super::plan::{Load, Step};
use super::route::{Route, shard_of};
use super::shard::Shard;
use super::sharded::Sharded;
use super::snapshot::ShardedSnapshot;
use super::work::Work;
use crate::error::Result;
use crate::key::Key;
use gpu_lsm_primitives::{Code, Value};

/// The number of keys per new shard from which boundaries are chosen.
const SAMPLE: u64 = 256;

impl<K: Key, V: Value> Sharded<K, V> {
    /// Takes the steps that the rules ask for before some work, and returns the routes of its keys to the shards that
    /// there are then. Work that inserts nothing is not worth balance, and with a lost device there is none.
    pub(super) fn reshape(
        &self,
        next: &mut ShardedSnapshot<K, V>,
        work: &Work<'_, K, V>,
    ) -> Result<[Route; 2]> {
        let mut routes = work.routes(next)?;
        if let Work::Cleanup | Work::Clear = work {
            return Ok(routes);
        }
        // The first codes of shards that could not be split: all of their operations are on one key.
        let mut whole: Vec<K::Code> = Vec::new();
        let balances = work.inserts() && !next.places.iter().any(Place::is_lost);
        loop {
            let loads = next.loads(work, &routes)?;
            let splits = |shard: usize| !whole.contains(&next.shards[shard].first);
            let step = match balances {
                true => self.rules.next_step(&loads, splits),
                false => self.rules.next_needed(&loads, splits),
            };
            match step {
                Some(Step::Split { shard, parts }) => {
                    let cuts = next.cuts(shard, parts, loads[shard].entries, work)?;
                    if cuts.is_empty() {
                        whole.push(next.shards[shard].first);
                    }
                    next.split(shard, &cuts)?;
                }
                Some(Step::Join { shard }) => next.join(shard)?,
                Some(Step::Move { shard, place }) => next.carry(shard, place)?,
                None => return Ok(routes),
            }
            if let Some(Step::Split { .. } | Step::Join { .. }) = step {
                routes = work.routes(next)?;
            }
        }
    }

    /// Whether there is one shard, and will be after some work, which it takes as it is: every buffer is on its device.
    pub(super) fn is_for_one_shard(&self, work: &Work<'_, K, V>) -> bool {
        let [only] = &self.current.shards[..] else { return false };
        let operations = match work {
            Work::DeleteRange { .. } => only.entries(),
            others => others.operations() as u64,
        };
        let load = Load { place: only.place, entries: only.entries() + operations };
        work.is_near(only) && self.rules.next_step(&[load], |_| true).is_none()
    }

    /// Splits the shard of a key there, unless it starts with it: for tests.
    ///
    /// # Errors
    /// If memory runs out or a device fails.
    #[doc(hidden)]
    pub fn split_at(&mut self, key: K) -> Result<()> {
        let shard = shard_of(&self.starts(), key.to_code());
        let mut next = self.current.clone();
        if next.shards[shard].first < key.to_code() {
            next.split(shard, &[key.to_code()])?;
        }
        self.current = next;
        Ok(())
    }

    /// Joins a shard with the next one, if there is one and one array can hold both: for tests.
    ///
    /// # Errors
    /// If memory runs out or a device fails.
    #[doc(hidden)]
    pub fn join_at(&mut self, shard: usize) -> Result<()> {
        let mut next = self.current.clone();
        if shard + 1 < next.shards.len() && next.can_join(shard) {
            next.join(shard)?;
        }
        self.current = next;
        Ok(())
    }

    /// Moves a shard to another device: for tests.
    ///
    /// # Errors
    /// If memory runs out or a device fails.
    #[doc(hidden)]
    pub fn move_to(&mut self, shard: usize, device: usize) -> Result<()> {
        let mut next = self.current.clone();
        next.carry(shard, device)?;
        self.current = next;
        Ok(())
    }
}

impl<K: Key, V: Value> ShardedSnapshot<K, V> {
    /// What each shard has, with the operations that are about to come.
    fn loads(&self, work: &Work<'_, K, V>, routes: &[Route; 2]) -> Result<Vec<Load>> {
        let load = |shard: &Shard<K, V>| Load { place: shard.place, entries: shard.entries() };
        let mut loads: Vec<_> = self.shards.iter().map(load).collect();
        for route in routes {
            loads.iter_mut().zip(&route.lens).for_each(|(load, &more)| load.entries += more as u64);
        }
        if let Some((lower, upper)) = work.intervals() {
            for (shard, [lower, upper]) in self.intervals_by_shard(lower, upper)? {
                loads[shard].entries += self.tombstones_in(shard, lower, upper)?;
            }
        }
        Ok(loads)
    }

    /// Whether one run can hold a shard, with the operations of its part of some work: of deletes of intervals, as many as it
    /// has entries.
    pub(super) fn has_room_for(&self, shard: usize, part: &Work<'_, K, V>) -> bool {
        let entries = self.shards[shard].entries();
        let more = if part.intervals().is_some() { entries } else { part.operations() as u64 };
        entries + more <= self.limit(shard)
    }

    /// An upper bound of the tombstones that deletes of intervals add to a shard. Counts them only if that matters.
    fn tombstones_in(&self, shard: usize, lower: Vec<K>, upper: Vec<K>) -> Result<u64> {
        let entries = self.shards[shard].entries();
        if 2 * entries <= self.limit(shard) {
            return Ok(entries);
        }
        let counts = self.shards[shard].state.count(lower, upper).map_err(|error| self.told(shard, error))?;
        Ok(counts.iter().sum::<u64>().min(entries))
    }

    /// Where to split a shard into parts of about the same size, with the operations that are about to come. Fewer parts
    /// if many of these have the same key.
    fn cuts(&self, shard: usize, parts: usize, entries: u64, work: &Work<'_, K, V>) -> Result<Vec<K::Code>> {
        let stride = (entries / (SAMPLE * parts as u64)).clamp(1, u64::from(u32::MAX)) as u32;
        let (first, last) = (self.shards[shard].first, self.last_code(shard));
        let incoming = || work.keys().into_iter().flatten().map(|key| key.to_code());
        let is_here = |code: &K::Code| (first..=last).contains(code);
        let mut codes: Vec<K::Code> = self.meter.vector(incoming().filter(is_here).count())?;
        codes.extend(incoming().filter(is_here));
        codes.sort_unstable();
        let mut sample: Vec<K::Code> =
            codes.into_iter().skip(stride as usize / 2).step_by(stride as usize).collect();
        sample.extend(self.shards[shard].sampled(stride).map_err(|error| self.told(shard, error))?);
        sample.sort_unstable();
        let quantile = |part: usize| sample.get(part * sample.len() / parts).copied();
        let mut cuts: Vec<_> = (1..parts).filter_map(quantile).collect();
        cuts.dedup();
        cuts.retain(|cut| *cut > first);
        Ok(cuts)
    }

    /// Replaces a shard by its parts, which start at its first code and at each of these.
    fn split(&mut self, shard: usize, cuts: &[K::Code]) -> Result<()> {
        let (whole, end) = (&self.shards[shard], self.last_code(shard));
        let firsts = std::iter::once(whole.first).chain(cuts.iter().copied());
        let lasts = cuts.iter().map(|cut| K::Code::truncated(cut.to_u64() - 1)).chain([end]);
        let parts = firsts.zip(lasts).map(|(first, last)| whole.cut(first, last));
        let parts = parts.collect::<Result<Vec<_>>>().map_err(|error| self.told(shard, error))?;
        self.shards.splice(shard..=shard, parts);
        Ok(())
    }

    /// Replaces a shard and the next one by one, on the device of the larger one.
    fn join(&mut self, shard: usize) -> Result<()> {
        let (one, next) = (&self.shards[shard], &self.shards[shard + 1]);
        let place = if one.entries() < next.entries() { next.place } else { one.place };
        self.carry(shard, place)?;
        self.carry(shard + 1, place)?;
        let joined = self.shards[shard].join(&self.shards[shard + 1]);
        let joined = joined.map_err(|error| self.told(shard, error))?;
        self.shards.splice(shard..shard + 2, [joined]);
        Ok(())
    }

    /// Gives the shards these first codes, ascending: splits those that others begin in, and joins those that none begins with,
    /// unless no array can hold both.
    pub(super) fn bound_by(&mut self, firsts: &[K::Code]) -> Result<()> {
        for &first in firsts {
            let shard = shard_of(&self.starts(), first);
            if self.shards[shard].first < first {
                self.split(shard, &[first])?;
            }
        }
        let mut shard = 0;
        while let Some(next) = self.shards.get(shard + 1) {
            match firsts.contains(&next.first) || !self.can_join(shard) {
                true => shard += 1,
                false => self.join(shard)?,
            }
        }
        Ok(())
    }

    /// Whether every device can hold a shard and the next one as one run.
    fn can_join(&self, shard: usize) -> bool {
        let limit = self.places.iter().map(|place| place.limit).min().unwrap_or(0);
        self.shards[shard].entries() + self.shards[shard + 1].entries() <= limit
    }

    /// Takes a shard to a device, unless it is there.
    fn carry(&mut self, shard: usize, place: usize) -> Result<()> {
        let (one, to): (_, &Place) = (&self.shards[shard], &self.places[place]);
        if one.place != place {
            let moved = one.moved((place, to)).map_err(|error| self.told(shard, error))?;
            self.shards[shard] = moved;
        }
        Ok(())
    }
}
