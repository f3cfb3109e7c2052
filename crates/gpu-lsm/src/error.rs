//! What can go wrong with a dictionary.

pub use gpu_lsm_primitives::Error as BackendError;

/// An error of a dictionary. The failed call has left the dictionary as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Columns that belong together differ in length.
    #[error("{keys} keys came with {values} values; give one value for each key")]
    UnequalColumns {
        /// The number of keys.
        keys: usize,
        /// The number of values.
        values: usize,
    },
    /// The flags that say which operations are deletes differ in number from the keys.
    #[error("{keys} keys came with {deletes} flags for deletes; give one flag for each key")]
    UnequalFlags {
        /// The number of keys.
        keys: usize,
        /// The number of flags.
        deletes: usize,
    },
    /// Lower and upper bounds differ in number.
    #[error("{lower} lower bounds came with {upper} upper ones; give one of each for each query")]
    UnequalBounds {
        /// The number of lower bounds.
        lower: usize,
        /// The number of upper bounds.
        upper: usize,
    },
    /// A sharded dictionary was to be made without devices.
    #[error("a sharded dictionary needs at least one device; give the host if there is no other")]
    NoDevices,
    /// The shares of devices are not one positive number for each of them.
    #[error("{devices} devices came with {shares} shares; give each device one positive, finite share")]
    Shares {
        /// The number of devices.
        devices: usize,
        /// The number of shares.
        shares: usize,
    },
    /// A device of a sharded dictionary is lost, and with it the shards that were on it. Calls that need none of their
    /// keys still work.
    #[error("{device} is lost, and with it the entries with keys from {keys}: {reason}")]
    LostShards {
        /// The device's name.
        device: String,
        /// The intervals of keys whose entries are gone. `ShardedSnapshot::lost_keys` returns them as keys.
        keys: String,
        /// What the driver or the engine said.
        reason: String,
    },
    /// The batch size is zero.
    #[error("a dictionary's batch size is at least 1; leave it out for the default")]
    ZeroBatchSize,
    /// The queries of one call have more candidates, which are entries that may answer them, than one array of the device
    /// can hold. Queries in the host's memory are answered in pieces, so that only a single query can be refused.
    #[error(
        "these queries have {candidates} candidates, and one array of this device holds {limit}; ask fewer queries or \
         narrower intervals at a time, or give the queries in the host's memory, from where they are answered in pieces"
    )]
    TooManyCandidates {
        /// The number of candidates.
        candidates: u64,
        /// The number of candidates that fit.
        limit: u64,
    },
    /// The range reaches past the end of the buffer.
    #[error("elements {start} to {end} were asked of a buffer of {len}; stay within its length")]
    OutOfBounds {
        /// The first element requested.
        start: usize,
        /// One past the last element requested.
        end: usize,
        /// The number of elements in the buffer.
        len: usize,
    },
    /// A buffer and the dictionary are on different devices.
    #[error(
        "the buffer is on {buffer}, the dictionary on {dictionary}; read it, and upload it to the dictionary's device"
    )]
    OtherDevice {
        /// The buffer's device.
        buffer: String,
        /// The dictionary's device.
        dictionary: String,
    },
    /// The host, or a buffer on it, where a device or a buffer of another library is needed.
    #[error("this is on {device}, which {engine} does not drive; use a device that {call} opened")]
    NotOnEngine {
        /// The device.
        device: String,
        /// The library that does not drive it.
        engine: &'static str,
        /// The calls that open a device that it drives.
        call: &'static str,
    },
    /// No device has the requested name.
    #[error("no device is called {asked:?}; there are: {available}")]
    NoSuchDevice {
        /// The requested name.
        asked: String,
        /// The available devices.
        available: String,
    },
    /// There is no GPU.
    #[error("there is no GPU: {why}")]
    NoGpu {
        /// What is missing, and what to do about it.
        why: String,
    },
    /// The requested device needs a feature of this library that the program was built without.
    #[error("{asked:?} needs a program with the feature `{feature}` of gpu-lsm: build it with that")]
    NotCompiled {
        /// The requested device.
        asked: String,
        /// The feature.
        feature: &'static str,
    },
    /// A run breaks a rule of all runs: a defect of this library, of the engine or of the driver.
    #[error("level {level} is corrupt: {what}; please report it with the output of `gpu-lsm devices`")]
    Corrupt {
        /// The level of the run.
        level: usize,
        /// The broken rule.
        what: String,
    },
    /// A device's self-test gave a wrong result.
    #[error(
        "{step} gives wrong results on this device: do not use it; please report it with the output of \
         `gpu-lsm devices`"
    )]
    Untrustworthy {
        /// The step that went wrong.
        step: &'static str,
    },
    /// The device failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// A result of a dictionary.
pub type Result<T, E = Error> = std::result::Result<T, E>;
