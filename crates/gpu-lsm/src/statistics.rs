//! The current contents of a dictionary, in numbers.

use gpu_lsm_primitives::Traffic;

/// Levels, entries and bytes of a dictionary.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The occupied levels, newest first.
    pub levels: Vec<LevelStatistics>,
    /// Entries of all runs: live ones, hidden ones and tombstones.
    pub entries: u64,
    /// The number of these that are tombstones.
    pub tombstones: u64,
    /// Bytes of all runs.
    pub bytes: u64,
    /// Bytes of all arrays of this dictionary, including those of work in progress.
    pub bytes_in_use: u64,
    /// The most such bytes at any time since the dictionary was made.
    pub peak_bytes: u64,
    /// Bytes that the engine's own pool has reserved on the device, for everything that runs there; `None` on the host.
    pub engine_bytes: Option<u64>,
    /// Copies, waits and launches since the dictionary was made.
    pub traffic: Traffic,
}

/// One level of a dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LevelStatistics {
    /// Its number: it holds at most `b * 2^level` entries.
    pub level: usize,
    /// Entries of its run.
    pub entries: u64,
    /// The number of these that are tombstones.
    pub tombstones: u64,
    /// Bytes of its run.
    pub bytes: u64,
}
