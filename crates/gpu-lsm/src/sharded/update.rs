//! The methods that change a sharded dictionary. All shards prepare a change; then all of them commit it.

use super::route::Route;
use super::sharded::Sharded;
use super::snapshot::ShardedSnapshot;
use super::work::Work;
use crate::batch::Batch;
use crate::column::{Keys, Values, check_bounds, check_columns, check_mixed_columns};
use crate::error::{BackendError, Result};
use crate::key::Key;
use crate::prepare::Ready;
use crate::single::ends;
use crate::update::is_over_budget;
use gpu_lsm_primitives::Value;
use std::borrow::Cow;
use std::ops::RangeBounds;

impl<K: Key, V: Value> Sharded<K, V> {
    /// Inserts entries, as [`Dictionary::insert`](crate::Dictionary::insert) does. Waits for the devices, and more often
    /// if shards are split, joined or moved before.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let mut ages = Sharded::<u32, u32>::new(&[Device::host()], Config::new())?;
    /// ages.insert(&[1, 2], &[30, 40])?;
    /// ages.insert(&[2, 3], &[41, 50])?;
    /// assert_eq!(ages.lookup(&[1, 2, 3])?.to_vec(), [Some(30), Some(41), Some(50)]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the columns differ in length, a buffer is on none of the devices, memory runs out, or a device that has some of
    /// the keys is lost.
    pub fn insert<'a>(
        &mut self,
        keys: impl Into<Keys<'a, K>>,
        values: impl Into<Values<'a, V>>,
    ) -> Result<()> {
        self.update(keys, values, &[])
    }

    /// Deletes keys. Keys that are not present change nothing. Waits as [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let mut set = Sharded::build_set(&[Device::host()], Config::new(), [1u32, 2, 3])?;
    /// set.delete(&[2, 9])?;
    /// assert_eq!(set.lookup(&[1, 2, 3])?.found(), [1, 0, 1]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`insert`](Self::insert).
    pub fn delete<'a>(&mut self, keys: impl Into<Keys<'a, K>>) -> Result<()> {
        self.update(&[], &[], keys)
    }

    /// Inserts entries and deletes keys as one batch. A key in both is deleted. Waits as [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let mut dictionary = Sharded::build(&[Device::host()], Config::new(), &[1u32, 2], &[10u32, 20])?;
    /// dictionary.update(&[3, 4], &[30, 40], &[1, 4])?;
    /// assert_eq!(dictionary.lookup(&[1, 2, 3, 4])?.to_vec(), [None, Some(20), Some(30), None]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`insert`](Self::insert).
    pub fn update<'a, 'd>(
        &mut self,
        keys: impl Into<Keys<'a, K>>,
        values: impl Into<Values<'a, V>>,
        deletes: impl Into<Keys<'d, K>>,
    ) -> Result<()> {
        let (keys, values, deletes) = (keys.into(), values.into(), deletes.into());
        check_columns(&keys, &values)?;
        self.perform(Work::Update { keys, values, deletes })
    }

    /// Applies a batch of mixed operations in their order: of several operations on one key, the last wins. Waits as
    /// [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Batch, Config, Device, Sharded};
    /// let mut batch = Batch::new();
    /// batch.insert(1u32, 10u32);
    /// batch.insert(2, 20);
    /// batch.delete(1);
    /// let mut dictionary = Sharded::new(&[Device::host()], Config::new())?;
    /// dictionary.apply(&batch)?;
    /// assert_eq!(dictionary.lookup(&[1, 2])?.to_vec(), [None, Some(20)]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`insert`](Self::insert).
    pub fn apply(&mut self, batch: &Batch<K, V>) -> Result<()> {
        self.perform(Work::Batch(Cow::Borrowed(batch)))
    }

    /// Applies mixed operations, given as columns, in their order, as
    /// [`Dictionary::apply_columns`](crate::Dictionary::apply_columns) does. Waits as [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let mut seen = Sharded::build(&[Device::host()], Config::new(), [1u32, 2], [10u32, 20])?;
    /// seen.apply_columns([2, 3, 3], [0, 30, 31], [1, 0, 0])?;
    /// assert_eq!(seen.lookup([1, 2, 3])?.to_vec(), [Some(10), None, Some(31)]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`insert`](Self::insert).
    pub fn apply_columns<'a, 'd>(
        &mut self,
        keys: impl Into<Keys<'a, K>>,
        values: impl Into<Values<'a, V>>,
        deletes: impl Into<Values<'d, u32>>,
    ) -> Result<()> {
        let (keys, values, flags) = (keys.into(), values.into(), deletes.into());
        check_mixed_columns(&keys, &values, &flags)?;
        self.perform(Work::Columns { keys, values, flags })
    }

    /// Deletes all entries in each interval from `lower[i]` to `upper[i]`, both inclusive, as one batch. Waits for the
    /// devices.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let mut events = Sharded::build_set(&[Device::host()], Config::new(), &[10u64, 20, 30, 40])?;
    /// events.delete_range(&[0, 35], &[20, 99])?;
    /// assert_eq!(events.range(&[0], &[u64::MAX])?.keys(), [30]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`count`](ShardedSnapshot::count) and [`delete`](Self::delete).
    pub fn delete_range<'a, 'b>(
        &mut self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
    ) -> Result<()> {
        let (lower, upper) = (lower.into(), upper.into());
        check_bounds(&lower, &upper)?;
        self.perform(Work::DeleteRange { lower, upper })
    }

    /// Deletes all entries in one interval. Waits for the devices.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let mut events = Sharded::build_set(&[Device::host()], Config::new(), [10u64, 20, 30, 40])?;
    /// events.delete_in(..30)?;
    /// assert_eq!(events.range_in(..)?.0, [30, 40]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`delete_range`](Self::delete_range).
    pub fn delete_in(&mut self, interval: impl RangeBounds<K>) -> Result<()> {
        match ends(&interval) {
            Some((first, last)) => self.delete_range(&[first], &[last]),
            None => Ok(()),
        }
    }

    /// Merges all levels of each shard into one run without tombstones. Waits as [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let mut set = Sharded::build_set(&[Device::host()], Config::new().with_batch_size(2), [1u32, 2, 3])?;
    /// set.delete([2])?;
    /// set.cleanup()?;
    /// assert_eq!((set.statistics().entries, set.statistics().tombstones), (2, 0));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If memory runs out or a device is lost.
    pub fn cleanup(&mut self) -> Result<()> {
        self.perform(Work::Cleanup)
    }

    /// Deletes all entries. Does not wait, and needs no memory.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let mut set = Sharded::build_set(&[Device::host()], Config::new(), [1u32, 2, 3])?;
    /// set.clear()?;
    /// assert!(set.is_empty()?);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a device is lost.
    pub fn clear(&mut self) -> Result<()> {
        self.perform(Work::Clear)
    }

    /// Sets the byte budget of all shards together from now on, or removes it:
    /// see [`Config::with_byte_budget`](crate::Config::with_byte_budget). Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let mut set = Sharded::build_set(&[Device::host()], Config::new(), [1u32, 2, 3])?;
    /// assert!(set.set_byte_budget(Some(10)).is_err());
    /// set.set_byte_budget(Some(1 << 20))?;
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BackendError::OverBudget`] if the budget is too small for the dictionary to delete its entries within it. The
    /// old budget then stays.
    pub fn set_byte_budget(&mut self, bytes: Option<u64>) -> Result<()> {
        self.current.check_reserve(bytes.unwrap_or(u64::MAX))?;
        self.current.meter.set_budget(bytes);
        self.current.config = self.current.config.with_budget(bytes);
        Ok(())
    }

    /// The same as [`update`](Self::update) with keys of another type that has the same codes, if there is one shard. If there
    /// are several, it changes nothing and returns `false`.
    ///
    /// For bindings, which know the type of the keys only at run time. Not public yet.
    ///
    /// # Errors
    /// Those of [`update`](Self::update), [`Error::OtherDevice`](crate::Error::OtherDevice) if a buffer is on another device than
    /// the shard, and [`BackendError::TooLarge`] if the shard would have to be split.
    #[doc(hidden)]
    pub fn update_only_as<L: Key<Code = K::Code>>(
        &mut self,
        keys: &Keys<'_, L>,
        values: &Values<'_, V>,
        deletes: &Keys<'_, L>,
    ) -> Result<bool> {
        let mut next = self.current.clone();
        let [only] = &mut next.shards[..] else { return Ok(false) };
        let ready = only.state.seen_as::<L>().prepare_update(keys, values, deletes);
        only.state.commit(self.current.of_only(ready)?);
        if keys.len() > 0 {
            next.check_reserve(next.meter.budget())?;
        }
        self.current = next;
        Ok(true)
    }

    /// Makes a change: aside, on a copy of the list of shards, which takes its place at the end.
    fn perform(&mut self, work: Work<'_, K, V>) -> Result<()> {
        let mut inserts = work.inserts();
        let next = if self.is_for_one_shard(&work) {
            self.with_whole(&work)?
        } else {
            let work = work.on_host(&self.current)?;
            // Now flags that were in a buffer are known.
            inserts = work.inserts();
            self.with_parts(&work)?
        };
        if inserts {
            next.check_reserve(next.meter.budget())?;
        }
        self.current = next;
        Ok(())
    }

    /// The only shard after work that it takes as it is.
    fn with_whole(&self, work: &Work<'_, K, V>) -> Result<ShardedSnapshot<K, V>> {
        let mut next = self.current.clone();
        let ready = next.of_only(work.prepare(&next.shards[0].state))?;
        next.shards[0].state.commit(ready);
        Ok(next)
    }

    /// All shards after splits, joins and moves, and then the work's part of each. If the byte budget is too small for deletes
    /// after a split, there is none.
    fn with_parts(&self, work: &Work<'_, K, V>) -> Result<ShardedSnapshot<K, V>> {
        let mut next = self.current.clone();
        let routes = self.reshape(&mut next, work);
        let is_split = routes.is_err() || next.shards.len() != self.current.shards.len();
        match routes.and_then(|routes| next.with_parts(work, &routes)) {
            Err(error) if is_split && !work.inserts() && is_over_budget(&error) => {
                self.with_deletes_unsplit(work)
            }
            next => next,
        }
    }

    /// All shards after deletes, without a split before them: the parts of a shard need its size once more, which a full
    /// dictionary does not have. Where the tombstones might not fit beside the entries, none are made.
    fn with_deletes_unsplit(&self, work: &Work<'_, K, V>) -> Result<ShardedSnapshot<K, V>> {
        let mut next = self.current.clone();
        let routes = work.routes(&next)?;
        let parts = work.by_shard(&next, &routes)?;
        for (shard, part) in parts {
            let state = &next.shards[shard].state;
            let ready = match next.has_room_for(shard, &part) {
                true => part.prepare(state),
                false => part.prepare_frugally(state),
            };
            let ready = ready.map_err(|error| next.told(shard, error))?;
            next.shards[shard].state.commit(ready);
        }
        Ok(next)
    }
}

impl<K: Key, V: Value> ShardedSnapshot<K, V> {
    /// The same shards, each after its part of some work.
    fn with_parts(mut self, work: &Work<'_, K, V>, routes: &[Route; 2]) -> Result<Self> {
        let parts = work.by_shard(&self, routes)?;
        let shards: Vec<usize> = parts.iter().map(|(shard, _)| *shard).collect();
        for (shard, ready) in shards.into_iter().zip(self.prepared(&parts)?) {
            self.shards[shard].state.commit(ready);
        }
        Ok(self)
    }

    /// Prepares all parts of a change, one per shard, at the same time; or, if the byte budget is too small for that, one
    /// after the other.
    fn prepared(&self, parts: &[(usize, Work<'_, K, V>)]) -> Result<Vec<Ready<K, V>>> {
        let tasks = parts.iter().map(|(shard, part)| (*shard, part));
        match self.on_shards(tasks.clone().collect(), |state, part| part.prepare(state)) {
            Err(error) if parts.len() > 1 && is_over_budget(&error) => {
                let one = |(shard, part): (usize, &Work<'_, K, V>)| {
                    part.prepare(&self.shards[shard].state).map_err(|error| self.told(shard, error))
                };
                tasks.map(one).collect()
            }
            prepared => prepared,
        }
    }

    /// Refuses a budget if deletes and cleanups of all shards might exceed it.
    pub(super) fn check_reserve(&self, budget: u64) -> Result<()> {
        let needed = self.shards.iter().fold(0u64, |sum, shard| sum.saturating_add(shard.reserve()));
        if needed <= budget {
            return Ok(());
        }
        let in_use = self.meter.in_use();
        Err(BackendError::OverBudget { needed: needed.saturating_sub(in_use), in_use, budget }.into())
    }
}
