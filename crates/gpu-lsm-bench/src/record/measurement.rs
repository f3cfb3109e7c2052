//! What is measured of an operation.

use gpu_lsm::Traffic;

/// How long an operation took, and what it cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timing {
    /// The operation itself, from its call until its results are on the device.
    pub seconds: f64,
    /// From the start of the first pass to the end of the last that the device ran for it, pauses between them included,
    /// where the engine tells.
    pub device_seconds: Option<f64>,
    /// Copying its input to the device.
    pub upload_seconds: f64,
    /// Copying its results to the host.
    pub read_back_seconds: f64,
    /// What the operation itself cost; the wait for its end is not counted.
    pub traffic: Traffic,
}

/// What a structure holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Resident {
    /// Entries, stale ones and tombstones included.
    pub entries: u64,
    /// Their bytes, where the structure tells.
    pub bytes: Option<u64>,
}
