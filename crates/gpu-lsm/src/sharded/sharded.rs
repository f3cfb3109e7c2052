//! The sharded dictionary: its shards, devices and rules.

use super::places::{place_at, places};
use super::plan::{Capacity, Rules};
use super::shard::Shard;
use super::sharding::Sharding;
use super::snapshot::ShardedSnapshot;
use crate::column::{Keys, Values};
use crate::config::Config;
use crate::device::Device;
use crate::error::Result;
use crate::key::Key;
use gpu_lsm_primitives::{Meter, Value};
use std::ops::Deref;

/// An ordered dictionary over several buffers and devices: range shards, each a [`Dictionary`](crate::Dictionary).
///
/// A dictionary ends where one buffer of its device ends ([`Device::limits`]). A sharded one ends where memory does. It
/// has the same methods with the same guarantees: a batch is applied to all shards or to none, queries and snapshots see
/// all shards at one moment, and answers come in the order of the queries. Where the boundaries are never affects an
/// answer. Results stay on the host: there is no `on_device`.
///
/// ```
/// use gpu_lsm::{Config, Device, Sharded};
/// let devices = [Device::host_with_threads(1)?, Device::host_with_threads(1)?];
/// let mut ages = Sharded::<u64, u32>::new(&devices, Config::new())?;
/// ages.insert(&[10, 20, 30], &[1, 2, 3])?;
/// ages.update(&[20, 40], &[22, 44], &[10])?;
/// assert_eq!(ages.lookup(&[10, 20, 30, 40])?.to_vec(), [None, Some(22), Some(3), Some(44)]);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
///
/// It dereferences to the [`ShardedSnapshot`] of its current state, which has all queries.
///
/// # Shards
///
/// The first batches determine the boundaries, unless [`Sharding`] gives them. Before a batch is applied, a shard is
/// split if a run of it might exceed a buffer, or if it has more than one and a half times its share of all entries;
/// small neighbours are joined, and devices with too much hand shards to others. Splits cut sorted runs and sort nothing.
///
/// The batch size of the [`Config`] is that of the whole: each shard gets its part of it. A byte budget is shared by all.
///
/// # Memory
///
/// All shards prepare a batch before any of them applies it, so the new runs of all shards exist beside the old ones: at
/// most as much as a plain dictionary of the same size needs. A split or a move also needs the shard's size once more; if a
/// byte budget has no room for a split before deletes, the shard becomes one run without tombstones instead. The batch and
/// the answers exist twice for a moment, as a whole and divided by shard.
///
/// # Errors
///
/// If a method fails, the dictionary stays as it was. If a device is lost, the entries on it are gone: calls that need
/// them return [`Error::LostShards`](crate::Error::LostShards), and [`lost_keys`](ShardedSnapshot::lost_keys) says which
/// they are. Other calls go on.
#[derive(Debug)]
pub struct Sharded<K: Key, V: Value> {
    pub(super) current: ShardedSnapshot<K, V>,
    pub(super) rules: Rules,
}

/// A sharded dictionary answers queries as the snapshot of its current state.
impl<K: Key, V: Value> Deref for Sharded<K, V> {
    type Target = ShardedSnapshot<K, V>;
    fn deref(&self) -> &ShardedSnapshot<K, V> {
        &self.current
    }
}

impl<K: Key, V: Value> Sharded<K, V> {
    /// Makes an empty dictionary on these devices, with shares by their memory. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let dictionary = Sharded::<u32, u32>::new(&[Device::host()], Config::new())?;
    /// assert!(dictionary.is_empty()?);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no devices, an option is out of range, or a device does not support the key type.
    pub fn new(devices: &[Device], config: Config) -> Result<Self> {
        Self::with_sharding(devices, config, &Sharding::new())
    }

    /// Makes an empty dictionary with a given number of shards, given boundaries or given shares. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded, Sharding};
    /// let sharding = Sharding::new().with_boundaries(&[1000u32]);
    /// let dictionary = Sharded::<u32, u32>::with_sharding(&[Device::host()], Config::new(), &sharding)?;
    /// assert_eq!(dictionary.statistics().shards[1].first, 1000);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no devices, not one positive share for each of them, an option is out of range, or a device does not
    /// support the key type.
    pub fn with_sharding(devices: &[Device], config: Config, sharding: &Sharding<K>) -> Result<Self> {
        config.check()?;
        let places = places::<K, V>(devices, sharding)?;
        let meter = Meter::new(config.byte_budget());
        let shards = sharding.shards(places.len());
        let few = config.batch_size().div_ceil(shards);
        let firsts = sharding.first_codes();
        let share = 1.0 / firsts.len() as f64;
        let shard = |(i, first): (usize, &K::Code)| {
            let place = place_at(&places, (i as f64 + 0.5) * share);
            Shard::empty(*first, (place, &places[place]), config.with_batch_size(few), &meter)
        };
        let shards_now = firsts.iter().enumerate().map(shard).collect::<Result<Vec<_>>>()?;
        let capacities = places.iter().map(|place| Capacity { share: place.share, limit: place.limit });
        let rules = Rules { shards, few: few as u64, capacities: capacities.collect() };
        let current = ShardedSnapshot { shards: shards_now, places: places.into(), meter, config };
        Ok(Self { current, rules })
    }

    /// Makes a dictionary of the given entries. If a key occurs several times, its last entry wins. Waits as
    /// [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let squares = Sharded::build(&[Device::host()], Config::new(), &[1u32, 2, 3], &[1u64, 4, 9])?;
    /// assert_eq!(squares.lookup(&[3])?.get(0), Some(9));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`new`](Self::new) and [`insert`](Self::insert).
    pub fn build<'a>(
        devices: &[Device],
        config: Config,
        keys: impl Into<Keys<'a, K>>,
        values: impl Into<Values<'a, V>>,
    ) -> Result<Self> {
        let mut sharded = Self::new(devices, config)?;
        sharded.insert(keys, values)?;
        Ok(sharded)
    }

    /// Takes a snapshot of all shards at this moment, which can be read while the dictionary is updated. Copies nothing
    /// and does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let mut set = Sharded::build_set(&[Device::host()], Config::new(), [1u32, 2, 3])?;
    /// let before = set.snapshot();
    /// set.delete([2])?;
    /// assert_eq!((before.len()?, set.len()?), (3, 2));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn snapshot(&self) -> ShardedSnapshot<K, V> {
        self.current.clone()
    }

    /// Makes a dictionary of its own, with the same options, that starts from this state. Copies nothing and does not
    /// wait. Neither dictionary sees the other's updates.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let ages = Sharded::build(&[Device::host()], Config::new(), [1u32, 2], [30u32, 40])?;
    /// let mut older = ages.fork();
    /// older.insert([1], [31])?;
    /// assert_eq!((ages.get(1)?, older.get(1)?), (Some(30), Some(31)));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn fork(&self) -> Self {
        let meter = Meter::new(self.current.config.byte_budget());
        let shards = self.current.shards.iter().map(|shard| shard.fork(&meter)).collect();
        let current = ShardedSnapshot { shards, meter, ..self.current.clone() };
        Self { current, rules: self.rules.clone() }
    }
}

/// A clone is a [`fork`](Sharded::fork).
impl<K: Key, V: Value> Clone for Sharded<K, V> {
    fn clone(&self) -> Self {
        self.fork()
    }
}

/// A set: a dictionary whose values take no space.
impl<K: Key> Sharded<K, ()> {
    /// Makes a set of the given keys. Waits as [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let primes = Sharded::build_set(&[Device::host()], Config::new(), [2u32, 3, 5, 7])?;
    /// assert!(primes.contains(3)? && !primes.contains(4)?);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`build`](Self::build).
    pub fn build_set<'a>(devices: &[Device], config: Config, keys: impl Into<Keys<'a, K>>) -> Result<Self> {
        let mut set = Self::new(devices, config)?;
        set.insert_keys(keys)?;
        Ok(set)
    }

    /// Adds keys to a set. Waits as [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let mut seen = Sharded::<u64, ()>::new(&[Device::host()], Config::new())?;
    /// seen.insert_keys([5, 3, 5])?;
    /// assert_eq!(seen.len()?, 2);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`insert`](Self::insert).
    pub fn insert_keys<'a>(&mut self, keys: impl Into<Keys<'a, K>>) -> Result<()> {
        let keys = keys.into();
        let values = Values::from(vec![(); keys.len()]);
        self.insert(keys, values)
    }
}
