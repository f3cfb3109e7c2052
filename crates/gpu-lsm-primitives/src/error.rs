//! What can go wrong on a backend. A call fails before it changes anything.

/// An error of a backend. The failed call has not changed its input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// More entries than one array of the device can hold. A batch is refused before anything is allocated; a merge is
    /// refused once its result is counted, before the result is allocated.
    #[error(
        "{entries} entries of {entry_bytes} bytes are over this device's limit of {limit} in one array; \
         use a sharded dictionary"
    )]
    TooLarge {
        /// The number of entries requested.
        entries: u64,
        /// The bytes of an entry's widest column.
        entry_bytes: u64,
        /// The number of such entries that fit.
        limit: u64,
    },
    /// Columns that are no run.
    #[error("the columns are not those of a run: {what}; they were damaged or made by something else")]
    Malformed {
        /// The rule that they break.
        what: String,
    },
    /// The device or the host has no memory for an allocation.
    #[error(
        "out of memory{}; use smaller batches, clean up, or a device with more memory",
        if *bytes > 0 { format!(": no room for {bytes} bytes") } else { String::new() }
    )]
    OutOfMemory {
        /// The bytes requested; zero if the driver does not say.
        bytes: u64,
    },
    /// The call would exceed the byte budget that the caller set.
    #[error(
        "over the byte budget: {needed} bytes more on top of {in_use} in use would exceed {budget}; \
         raise the budget, clean up, or use smaller batches"
    )]
    OverBudget {
        /// The bytes requested.
        needed: u64,
        /// The bytes in use at the time of the request.
        in_use: u64,
        /// The budget.
        budget: u64,
    },
    /// The device exists but cannot be opened.
    #[error("{device} cannot be opened: {reason}; see whether its driver is installed and running")]
    CannotOpen {
        /// The requested device.
        device: String,
        /// What the driver or the engine said.
        reason: String,
    },
    /// A device that the program made cannot be shared.
    #[error("{device} cannot be shared: {reason}")]
    CannotShare {
        /// The device's name.
        device: String,
        /// What is in the way, and what to do about it.
        reason: String,
    },
    /// Memory of the engine that cannot be used as an array.
    #[error("this memory cannot be a buffer: {reason}")]
    UnfitMemory {
        /// What is in the way, and what to do about it.
        reason: String,
    },
    /// The host has no threads to work on. They are started once per program, on first use.
    #[error(
        "the host has no threads to work on: {reason}; allow the program more threads or memory, or fewer threads to \
         rayon by RAYON_NUM_THREADS"
    )]
    NoThreads {
        /// What the system or rayon said.
        reason: String,
    },
    /// The device lacks something that the call needs.
    #[error("{device} does not support {what}; choose another device")]
    Unsupported {
        /// What is missing.
        what: String,
        /// The device's name.
        device: String,
    },
    /// The device is lost and its memory is gone. Every later call on it returns this error.
    #[error("the device is lost and the data on it is gone: {reason}")]
    DeviceLost {
        /// What the driver or the engine said.
        reason: String,
    },
    /// The engine refused or failed a piece of work.
    #[error("the device failed: {message}")]
    Failed {
        /// What the driver or the engine said.
        message: String,
    },
}

/// A result of a backend.
pub type Result<T, E = Error> = std::result::Result<T, E>;
