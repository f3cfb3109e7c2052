//! What can go wrong on a backend, found before a launch or instead of damage.

/// An error of a backend. The data that the failed call was given is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// More entries than one array of the device can hold. A batch is refused before anything is allocated, a merge when
    /// its result is counted and before that is allocated.
    #[error(
        "{entries} entries of {entry_bytes} bytes are over this device's limit of {limit} in one array; \
         split the data over several dictionaries by key range"
    )]
    TooLarge {
        /// How many entries were asked for.
        entries: u64,
        /// Bytes of the widest column of an entry.
        entry_bytes: u64,
        /// How many such entries fit.
        limit: u64,
    },
    /// Columns that are no run.
    #[error("the columns are not those of a run: {what}; they were damaged or made by something else")]
    Malformed {
        /// The rule that they break.
        what: String,
    },
    /// The device or the host has no room for an allocation.
    #[error(
        "out of memory{}; use smaller batches, clean up, or a device with more memory",
        if *bytes > 0 { format!(": no room for {bytes} bytes") } else { String::new() }
    )]
    OutOfMemory {
        /// Bytes that were asked for; zero where the driver does not tell.
        bytes: u64,
    },
    /// The byte budget that the caller set would be exceeded.
    #[error(
        "over the byte budget: {needed} bytes more on top of {in_use} in use would exceed {budget}; \
         raise the budget, clean up, or use smaller batches"
    )]
    OverBudget {
        /// Bytes that were asked for.
        needed: u64,
        /// Bytes in use when they were asked for.
        in_use: u64,
        /// The budget.
        budget: u64,
    },
    /// The device is there but does not open.
    #[error("{device} cannot be opened: {reason}; see whether its driver is installed and running")]
    CannotOpen {
        /// What was asked for.
        device: String,
        /// What the driver or the engine said.
        reason: String,
    },
    /// The host has no threads to work on. They are started once for the whole program, when it first needs them.
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
    /// The device is lost and its memory is gone: every later call on it says so.
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
