//! What can go wrong.

/// An error of a dictionary of this crate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two columns that belong together differ in length.
    #[error("{first} elements beside {second}: columns that belong together are equally long")]
    UnequalColumns {
        /// The length of the first.
        first: usize,
        /// The length of the second.
        second: usize,
    },
    /// Fewer marks than keys.
    #[error("{words} words of 32 marks are too few for {keys} keys")]
    FewMarks {
        /// How many words there are.
        words: usize,
        /// How many keys there are.
        keys: usize,
    },
    /// A batch size of zero.
    #[error("a batch size of 0 holds nothing; choose at least 1")]
    ZeroBatchSize,
    /// More keys than fit a batch.
    #[error("{keys} keys are more than a batch of {batch_size}")]
    LongBatch {
        /// How many keys were given.
        keys: usize,
        /// The batch size.
        batch_size: usize,
    },
    /// More batches than memory was reserved for.
    #[error("{batches} batches are more than there is room for, {room}; clean up, or make room for more")]
    Full {
        /// How many there would be.
        batches: u64,
        /// How many there can be.
        room: u32,
    },
    /// No set of hash functions gave every key a slot. A key that occurs five times can never have one.
    #[error("no slot for every key with {tries} choices of hash functions; are the keys distinct?")]
    NoSlots {
        /// How many sets were tried.
        tries: u32,
    },
    /// The device failed or is out of memory.
    #[error(transparent)]
    Backend(#[from] gpu_lsm_primitives::Error),
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Checks that two columns have the same length.
pub(crate) fn check_columns(first: usize, second: usize) -> Result<()> {
    if first == second { Ok(()) } else { Err(Error::UnequalColumns { first, second }) }
}
