//! What can go wrong with a dictionary.

pub use gpu_lsm_primitives::Error as BackendError;

/// An error of a dictionary. The failed call left the dictionary as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Columns that belong together differ in length.
    #[error("{keys} keys came with {values} values; give one value for each key")]
    UnequalColumns {
        /// How many keys there are.
        keys: usize,
        /// How many values there are.
        values: usize,
    },
    /// Bounds that belong together differ in number.
    #[error("{lower} lower bounds came with {upper} upper ones; give one of each for each query")]
    UnequalBounds {
        /// How many lower bounds there are.
        lower: usize,
        /// How many upper bounds there are.
        upper: usize,
    },
    /// The batch size is zero.
    #[error("a dictionary's batch size is at least 1; leave it out for the default")]
    ZeroBatchSize,
    /// A part of a buffer that it does not have.
    #[error("elements {start} to {end} were asked of a buffer of {len}; stay within its length")]
    OutOfBounds {
        /// The first element that was asked for.
        start: usize,
        /// The element after the last.
        end: usize,
        /// How many elements there are.
        len: usize,
    },
    /// A buffer is on another device than the dictionary.
    #[error(
        "the buffer is on {buffer}, the dictionary on {dictionary}; read it, and upload it to the dictionary's device"
    )]
    OtherDevice {
        /// The buffer's device.
        buffer: String,
        /// The dictionary's device.
        dictionary: String,
    },
    /// No device answers to what was asked for.
    #[error("no device is called {asked:?}; there are: {available}")]
    NoSuchDevice {
        /// What was asked for.
        asked: String,
        /// The devices that there are.
        available: String,
    },
    /// A run breaks a rule that every run keeps: a defect of this library, of the engine or of the driver.
    #[error("level {level} is corrupt: {what}; please report it with the output of `gpu-lsm devices`")]
    Corrupt {
        /// The level of the run.
        level: usize,
        /// The rule that it breaks.
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
    /// The device could not do it.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// A result of a dictionary.
pub type Result<T, E = Error> = std::result::Result<T, E>;
