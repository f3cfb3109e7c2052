//! The measurements of an operation.

use gpu_lsm::Traffic;

/// The time and the cost of an operation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timing {
    /// The time of the operation itself, from its call until its results are on the device.
    pub seconds: f64,
    /// The time from the start of the operation's first pass on the device to the end of its last, including pauses
    /// between them, if the engine reports it.
    pub device_seconds: Option<f64>,
    /// The time to copy its input to the device.
    pub upload_seconds: f64,
    /// The time to copy its results to the host.
    pub read_back_seconds: f64,
    /// The operation's own cost, without the wait for its end.
    pub traffic: Traffic,
}

/// The content of a structure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Resident {
    /// The number of entries, including stale ones and tombstones.
    pub entries: u64,
    /// Their bytes, if the structure reports them.
    pub bytes: Option<u64>,
}
