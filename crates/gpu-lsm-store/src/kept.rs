//! What stores keep: plain dictionaries and sharded ones.

use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::types::{StoredKey, StoredValue};
use gpu_lsm::{
    Columns, Config, Device, Dictionary, Key, ShardRuns, Sharded, ShardedSnapshot, Sharding, Snapshot,
};
use std::fmt::Debug;
use std::ops::Deref;

/// The code of a dictionary's keys.
pub(crate) type CodeOf<D> = <<D as Kept>::Key as Key>::Code;

/// A run with its level.
pub(crate) type LeveledRun<D> = (usize, Columns<CodeOf<D>, <D as Kept>::Value>);

/// A shard with its first key.
pub(crate) type ShardOf<D> = (<D as Kept>::Key, Snapshot<<D as Kept>::Key, <D as Kept>::Value>);

/// A dictionary that stores keep: [`Dictionary`] or [`Sharded`].
pub trait Kept: Deref<Target = Self::Snapshot> + Send + Sized + Sealed + 'static {
    /// Its keys.
    type Key: StoredKey;
    /// Its values.
    type Value: StoredValue;
    /// Its state at one moment.
    type Snapshot: Clone + Debug + Send + Sync + 'static;
    /// The device that it is made on; or the devices, and how it is divided among them.
    type Home: Clone + Send + Sync + 'static;

    /// Refuses a store with this many shards.
    #[doc(hidden)]
    fn accept(shards: usize) -> Result<()>;
    /// The capacity of the smallest level, if a dictionary is made with these options. For sharded ones it is a shard's.
    #[doc(hidden)]
    fn smallest_level(home: &Self::Home, config: Config) -> Result<usize, gpu_lsm::Error>;
    /// A dictionary of the runs of shards. The batch size is the capacity of the smallest level.
    #[doc(hidden)]
    fn of_shards<R>(
        home: &Self::Home,
        config: Config,
        shards: Vec<ShardRuns<Self::Key, R>>,
    ) -> Result<Self, gpu_lsm::Error>
    where
        R: IntoIterator<Item = Result<LeveledRun<Self>, gpu_lsm::Error>>;
    /// The shards of a snapshot, ascending, with their first keys. There is at least one.
    #[doc(hidden)]
    fn shards(snapshot: &Self::Snapshot) -> Vec<ShardOf<Self>>;
    #[doc(hidden)]
    fn now(&self) -> Self::Snapshot;
    /// Goes back to one of its own snapshots.
    #[doc(hidden)]
    fn go_back(&mut self, to: &Self::Snapshot);
    /// Does an operation of the log.
    #[doc(hidden)]
    fn perform(&mut self, operation: &Operation<Self::Key, Self::Value>) -> Result<(), gpu_lsm::Error>;
}

/// Keeps others from declaring what stores keep.
#[doc(hidden)]
pub trait Sealed {}
impl<K: StoredKey, V: StoredValue> Sealed for Dictionary<K, V> {}
impl<K: StoredKey, V: StoredValue> Sealed for Sharded<K, V> {}

/// The capacity of the smallest level of a snapshot.
pub(crate) fn level_capacity<D: Kept>(snapshot: &D::Snapshot) -> u64 {
    D::shards(snapshot).first().map_or(1, |(_, shard)| shard.config().batch_size() as u64)
}

/// The calls that both kinds of dictionaries have under the same names.
macro_rules! common_calls {
    () => {
        fn now(&self) -> Self::Snapshot {
            self.snapshot()
        }

        fn go_back(&mut self, to: &Self::Snapshot) {
            self.rewind(to);
        }

        fn perform(&mut self, operation: &Operation<K, V>) -> Result<(), gpu_lsm::Error> {
            match operation {
                Operation::Apply(batch) => self.apply(batch),
                Operation::DeleteRange(lower, upper) => self.delete_range(lower, upper),
                Operation::Cleanup => self.cleanup(),
                Operation::Clear => self.clear(),
            }
        }
    };
}

impl<K: StoredKey, V: StoredValue> Kept for Dictionary<K, V> {
    type Key = K;
    type Value = V;
    type Snapshot = Snapshot<K, V>;
    type Home = Device;

    fn accept(shards: usize) -> Result<()> {
        if shards == 1 { Ok(()) } else { Err(Error::ManyShards { shards }) }
    }

    fn smallest_level(_: &Device, config: Config) -> Result<usize, gpu_lsm::Error> {
        Ok(config.batch_size())
    }

    fn of_shards<R>(
        home: &Device,
        config: Config,
        shards: Vec<ShardRuns<K, R>>,
    ) -> Result<Self, gpu_lsm::Error>
    where
        R: IntoIterator<Item = Result<LeveledRun<Self>, gpu_lsm::Error>>,
    {
        Self::from_runs(home, config, shards.into_iter().flat_map(|shard| shard.runs))
    }

    fn shards(snapshot: &Snapshot<K, V>) -> Vec<(K, Snapshot<K, V>)> {
        vec![(K::MIN, snapshot.clone())]
    }

    common_calls!();
}

impl<K: StoredKey, V: StoredValue> Kept for Sharded<K, V> {
    type Key = K;
    type Value = V;
    type Snapshot = ShardedSnapshot<K, V>;
    type Home = (Vec<Device>, Sharding<K>);

    fn accept(_: usize) -> Result<()> {
        Ok(())
    }

    fn smallest_level((devices, sharding): &Self::Home, config: Config) -> Result<usize, gpu_lsm::Error> {
        let empty = Self::with_sharding(devices, config, sharding)?;
        Ok(level_capacity::<Self>(&empty) as usize)
    }

    fn of_shards<R>(
        (devices, sharding): &Self::Home,
        config: Config,
        shards: Vec<ShardRuns<K, R>>,
    ) -> Result<Self, gpu_lsm::Error>
    where
        R: IntoIterator<Item = Result<LeveledRun<Self>, gpu_lsm::Error>>,
    {
        Self::from_runs(devices, config, sharding, shards)
    }

    fn shards(snapshot: &ShardedSnapshot<K, V>) -> Vec<(K, Snapshot<K, V>)> {
        snapshot.shards().map(|(first, shard)| (first, shard.clone())).collect()
    }

    common_calls!();
}
