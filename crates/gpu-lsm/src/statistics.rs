//! What a dictionary is made of at the moment.

/// Levels, entries and bytes of a dictionary.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The occupied levels, newest first.
    pub levels: Vec<LevelStatistics>,
    /// Entries of all runs: live ones, stale ones and tombstones.
    pub entries: u64,
    /// How many of them are tombstones.
    pub tombstones: u64,
    /// Bytes of all runs.
    pub bytes: u64,
    /// Bytes of all arrays of this dictionary, also of those that are only being worked on.
    pub bytes_in_use: u64,
    /// The most such bytes since the dictionary was made.
    pub peak_bytes: u64,
    /// Bytes that the engine's own pool has reserved on the device, for everything that runs there; nothing on the host.
    pub engine_bytes: Option<u64>,
    /// Copies, waits and launches since the dictionary was made.
    pub traffic: Traffic,
}

/// What a dictionary's calls have cost so far, in ways that a device makes dear. On the host, copies only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Traffic {
    /// Bytes copied to the device.
    pub uploaded: u64,
    /// Bytes copied to the host.
    pub downloaded: u64,
    /// How often a call waited for the device.
    pub waits: u64,
    /// Kernels launched.
    pub launches: u64,
    /// Bytes that those kernels read and write, as their launches tell: the buffers that they stream through, and a
    /// sector of 32 bytes for each step of a search.
    pub moved: u64,
}

/// One level of a dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LevelStatistics {
    /// Its number: it holds at most `b * 2^level` entries.
    pub level: usize,
    /// Entries of its run.
    pub entries: u64,
    /// How many of them are tombstones.
    pub tombstones: u64,
    /// Bytes of its run.
    pub bytes: u64,
}
