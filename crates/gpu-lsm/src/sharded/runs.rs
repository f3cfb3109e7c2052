//! Sharded dictionaries of runs that were on other devices: the basis of stores.

use super::places::place_at;
use super::shard::Shard;
use super::sharded::Sharded;
use super::sharding::Sharding;
use super::snapshot::ShardedSnapshot;
use crate::backed::on_backend;
use crate::config::Config;
use crate::device::Device;
use crate::error::Result;
use crate::key::Key;
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::{Columns, Value};

/// The runs of a shard, newest first.
#[derive(Debug)]
pub struct ShardRuns<K, R> {
    /// Its first key. That of the first shard is the smallest key.
    pub first: K,
    /// The entries of all its runs, by which shards are divided among devices.
    pub entries: u64,
    /// The runs, each with its level.
    pub runs: R,
}

impl<K: Key, V: Value> ShardedSnapshot<K, V> {
    /// The shards, ascending: the first key of each, and its state.
    ///
    /// For stores. Not public yet.
    #[doc(hidden)]
    pub fn shards(&self) -> impl Iterator<Item = (K, &Snapshot<K, V>)> {
        self.shards.iter().map(|shard| (K::from_code(shard.first), &shard.state))
    }
}

impl<K: Key, V: Value> Sharded<K, V> {
    /// Makes a dictionary of the runs of shards, ascending. The batch size of the configuration is that of each shard. Boundaries
    /// of the sharding, if it has any, replace those of the shards. Waits for the devices at each run.
    ///
    /// For stores. Not public yet.
    ///
    /// # Errors
    /// Those of [`with_sharding`](Self::with_sharding) and of [`Dictionary::from_runs`](crate::Dictionary::from_runs).
    #[doc(hidden)]
    pub fn from_runs<R>(
        devices: &[Device],
        config: Config,
        sharding: &Sharding<K>,
        shards: Vec<ShardRuns<K, R>>,
    ) -> Result<Self>
    where
        R: IntoIterator<Item = Result<(usize, Columns<K::Code, V>)>>,
    {
        let whole = config.batch_size().saturating_mul(sharding.shards(devices.len()));
        let mut sharded = Self::with_sharding(devices, config.with_batch_size(whole), sharding)?;
        let current = &mut sharded.current;
        let total: u64 = shards.iter().map(|shard| shard.entries).sum::<u64>().max(1);
        let (mut before, mut filled) = (0, Vec::new());
        for ShardRuns { first, entries, runs } in shards {
            let middle = (before as f64 + entries as f64 / 2.0) / total as f64;
            let place = place_at(&current.places, middle);
            let on = (place, &current.places[place]);
            let mut shard = Shard::empty(first.to_code(), on, config, &current.meter)?;
            on_backend!(&mut shard.state.inner, core => core.take_runs(runs))?;
            filled.push(shard);
            before += entries;
        }
        current.shards = filled;
        if sharding.first_codes().len() > 1 {
            current.bound_by(&sharding.first_codes())?;
        }
        // Each shard has compared only its own reserve with the budget, which is that of all.
        current.check_reserve(current.meter.budget())?;
        Ok(sharded)
    }

    /// Goes back to the state of one of this dictionary's own snapshots. Copies nothing and does not wait. The byte budget
    /// stays as it is.
    ///
    /// For stores: an update that could not be made durable is undone. Not public yet.
    #[doc(hidden)]
    pub fn rewind(&mut self, to: &ShardedSnapshot<K, V>) {
        let config = self.current.config;
        self.current = ShardedSnapshot { config, ..to.clone() };
    }
}
