//! A snapshot of all shards at one moment.

use super::places::{Place, on_places};
use super::shard::Shard;
use super::statistics::{ShardStatistics, ShardedStatistics};
use crate::backed::{DeviceHandle, on_backend};
use crate::buffer::Buffer;
use crate::column::{Keys, Values};
use crate::config::Config;
use crate::device::Device;
use crate::error::{BackendError, Error, Result};
use crate::key::Key;
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::{Backend, Code, Meter, Value};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The state of a [`Sharded`](crate::Sharded) dictionary at one moment. It has all queries, and later updates do not
/// change it.
///
/// ```
/// use gpu_lsm::{Config, Device, Sharded};
/// let mut set = Sharded::<u32, ()>::new(&[Device::host()], Config::new())?;
/// set.insert_keys([1, 2, 3])?;
/// let before = set.snapshot();
/// set.clear()?;
/// assert_eq!(before.len()?, 3);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
pub struct ShardedSnapshot<K: Key, V: Value> {
    /// Ascending. The first starts at the smallest code.
    pub(super) shards: Vec<Shard<K, V>>,
    pub(super) places: Arc<[Place]>,
    /// Counts the memory of all shards.
    pub(super) meter: Arc<Meter>,
    pub(super) config: Config,
}

impl<K: Key, V: Value> Clone for ShardedSnapshot<K, V> {
    fn clone(&self) -> Self {
        Self {
            shards: self.shards.clone(),
            places: Arc::clone(&self.places),
            meter: Arc::clone(&self.meter),
            config: self.config,
        }
    }
}

impl<K: Key, V: Value> ShardedSnapshot<K, V> {
    /// The options of the dictionary as a whole. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let config = Config::new().with_batch_size(1024);
    /// let dictionary = Sharded::<u32, u32>::new(&[Device::host()], config)?;
    /// assert_eq!(dictionary.config().batch_size(), 1024);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The devices that it is on. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let dictionary = Sharded::<u32, u32>::new(&[Device::host()], Config::new())?;
    /// assert_eq!(dictionary.devices(), [Device::host()]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn devices(&self) -> Vec<Device> {
        self.places.iter().map(|place| place.device.clone()).collect()
    }

    /// Shards, entries, tombstones and bytes. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let mut set = Sharded::<u32, ()>::new(&[Device::host()], Config::new())?;
    /// set.insert_keys([1, 2, 3])?;
    /// let statistics = set.statistics();
    /// assert_eq!((statistics.shards.len(), statistics.entries), (1, 3));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn statistics(&self) -> ShardedStatistics<K> {
        let shard = |(i, shard): (usize, &Shard<K, V>)| ShardStatistics {
            first: K::from_code(shard.first),
            last: K::from_code(self.last_code(i)),
            device: shard.place,
            statistics: shard.state.statistics(),
        };
        let shards: Vec<_> = self.shards.iter().enumerate().map(shard).collect();
        let sum = |part: fn(&ShardStatistics<K>) -> u64| shards.iter().map(part).sum();
        ShardedStatistics {
            entries: sum(|shard| shard.statistics.entries),
            tombstones: sum(|shard| shard.statistics.tombstones),
            bytes: sum(|shard| shard.statistics.bytes),
            bytes_in_use: self.meter.in_use(),
            peak_bytes: self.meter.peak(),
            traffic: self.meter.traffic(),
            shards,
        }
    }

    /// The same state with keys of another type that has the same codes. Copies nothing and does not wait.
    ///
    /// For bindings, which know the type of the keys only at run time. Not public yet.
    #[doc(hidden)]
    pub fn seen_as<L: Key<Code = K::Code>>(&self) -> ShardedSnapshot<L, V> {
        ShardedSnapshot {
            shards: self.shards.iter().map(Shard::seen_as).collect(),
            places: Arc::clone(&self.places),
            meter: Arc::clone(&self.meter),
            config: self.config,
        }
    }

    /// The intervals of keys, both ends inclusive, whose entries are gone because their device is lost. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let dictionary = Sharded::<u32, u32>::new(&[Device::host()], Config::new())?;
    /// assert!(dictionary.lost_keys().is_empty());
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Calls that need none of these keys still work.
    pub fn lost_keys(&self) -> Vec<(K, K)> {
        self.keys_of(|shard| self.places[shard.place].is_lost())
    }

    /// The keys of some shards, as intervals. Neighbours share an interval.
    fn keys_of(&self, is_one: impl Fn(&Shard<K, V>) -> bool) -> Vec<(K, K)> {
        let mut intervals: Vec<(usize, K, K)> = Vec::new();
        for (i, shard) in self.shards.iter().enumerate().filter(|(_, shard)| is_one(shard)) {
            let last = K::from_code(self.last_code(i));
            match intervals.last_mut() {
                Some((end, _, behind)) if *end == i => (*end, *behind) = (i + 1, last),
                _ => intervals.push((i + 1, K::from_code(shard.first), last)),
            }
        }
        intervals.into_iter().map(|(_, first, last)| (first, last)).collect()
    }

    /// The meter of all memory, with the fuse that makes a call fail: for tests.
    #[doc(hidden)]
    pub fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    /// The largest code of a shard.
    pub(super) fn last_code(&self, shard: usize) -> K::Code {
        match self.shards.get(shard + 1) {
            Some(next) => K::Code::truncated(next.first.to_u64() - 1),
            None => K::Code::MAX,
        }
    }

    /// The most entries that a run of a shard can have.
    pub(super) fn limit(&self, shard: usize) -> u64 {
        self.places[self.shards[shard].place].limit
    }

    /// The first code of each shard.
    pub(super) fn starts(&self) -> Vec<K::Code> {
        self.shards.iter().map(|shard| shard.first).collect()
    }

    /// The state of the only shard, if there is one shard only, and it takes these keys as they are.
    pub(super) fn only(&self, keys: &[&Keys<'_, K>]) -> Option<&Snapshot<K, V>> {
        let [only] = &self.shards[..] else { return None };
        keys.iter().all(|keys| only.takes(keys)).then_some(&only.state)
    }

    /// Calls `work` with some shards, each on its device, and with what is meant for each. Returns the results in the
    /// order of the tasks, or the first error.
    pub(super) fn on_shards<T: Send, R: Send>(
        &self,
        tasks: Vec<(usize, T)>,
        work: impl Fn(&Snapshot<K, V>, T) -> Result<R> + Send + Sync,
    ) -> Result<Vec<R>> {
        let placed = tasks.into_iter().map(|(shard, task)| (self.shards[shard].place, (shard, task)));
        let results = on_places(&self.places, placed.collect(), |_, (shard, task)| {
            work(&self.shards[shard].state, task).map_err(|error| (shard, error))
        })?;
        results.into_iter().map(|result| result.map_err(|(shard, error)| self.told(shard, error))).collect()
    }

    /// The error of a shard as one of the whole: a lost device has lost all its shards.
    pub(super) fn told(&self, shard: usize, error: Error) -> Error {
        let Error::Backend(BackendError::DeviceLost { reason }) = error else { return error };
        // A shard that moves needs two devices, of which either may be lost.
        let lost = self.places.iter().position(Place::is_lost).unwrap_or(self.shards[shard].place);
        let keys = self.keys_of(|shard| shard.place == lost);
        let keys: Vec<_> = keys.iter().map(|(first, last)| format!("{first:?} to {last:?}")).collect();
        let device = self.places[lost].device.name().to_owned();
        Error::LostShards { device, keys: keys.join(", "), reason }
    }

    /// Keys in the host's memory. A buffer must be on one of the devices, and is copied.
    pub(super) fn on_host<'a>(&self, keys: Keys<'a, K>) -> Result<Cow<'a, [K]>> {
        match keys {
            Keys::Host(keys) => Ok(keys),
            Keys::Device(buffer) => Ok(Cow::Owned(K::from_natives(&self.meter, self.read(&buffer)?)?)),
        }
    }

    pub(super) fn values_on_host<'a, T: Value>(&self, values: Values<'a, T>) -> Result<Cow<'a, [T]>> {
        match values {
            Values::Host(values) => Ok(values),
            Values::Device(buffer) => Ok(Cow::Owned(self.read(&buffer)?)),
        }
    }

    /// Copies a buffer on one of the devices to the host.
    pub(super) fn read<T: Value>(&self, buffer: &Buffer<T>) -> Result<Vec<T>> {
        let mut refusal = None;
        for place in &*self.places {
            let read = on_backend!(&place.device.opened, device => {
                let backend = device.backend(Arc::clone(&self.meter));
                buffer.array_on(&backend).map(|array| backend.download(&array, buffer.len()))
            });
            match read {
                Ok(elements) => return Ok(elements?),
                Err(error) => refusal = Some(error),
            }
        }
        Err(refusal.unwrap_or(Error::NoDevices))
    }
}

impl<K: Key, V: Value> fmt::Debug for ShardedSnapshot<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardedSnapshot").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}
