//! The current contents of a sharded dictionary, in numbers.

use crate::statistics::Statistics;
use gpu_lsm_primitives::Traffic;

/// Shards, entries and bytes of a sharded dictionary.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardedStatistics<K> {
    /// The shards, in ascending order of keys.
    pub shards: Vec<ShardStatistics<K>>,
    /// Entries of all shards: live ones, hidden ones and tombstones.
    pub entries: u64,
    /// The number of these that are tombstones.
    pub tombstones: u64,
    /// Bytes of all runs.
    pub bytes: u64,
    /// Bytes of all arrays of this dictionary, including those of work in progress.
    pub bytes_in_use: u64,
    /// The most such bytes at any time since the dictionary was made.
    pub peak_bytes: u64,
    /// Copies, waits and launches since the dictionary was made, also of inputs that were on a device.
    pub traffic: Traffic,
}

/// One shard.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardStatistics<K> {
    /// Its smallest key.
    pub first: K,
    /// Its largest key.
    pub last: K,
    /// The number of its device in the list that the dictionary was made with.
    pub device: usize,
    /// Its levels, entries and bytes. Bytes in use, peak and traffic are those of all shards, which share one account.
    pub statistics: Statistics,
}
