//! What a dictionary can be told when it is made, and what it will need.

use crate::error::{Error, Result};
use gpu_lsm_primitives::tuning::SLACK;
use gpu_lsm_primitives::{Key, Value};

/// Options of a dictionary. The default is right for batches of some thousands to some millions.
///
/// ```
/// use gpu_lsm::{Config, Device, Dictionary};
/// let config = Config::new().batch_size(1 << 12).byte_budget(1 << 30);
/// let dictionary = Dictionary::<u32, u32>::with_config(&Device::host(), config)?;
/// assert_eq!(dictionary.config().get_batch_size(), 4096);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    batch_size: usize,
    byte_budget: Option<u64>,
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

impl Config {
    /// The batch size of a dictionary that is not told another.
    pub const DEFAULT_BATCH_SIZE: usize = 1 << 16;

    /// The default options: no byte budget, and [`DEFAULT_BATCH_SIZE`](Self::DEFAULT_BATCH_SIZE).
    pub const fn new() -> Self {
        Self { batch_size: Self::DEFAULT_BATCH_SIZE, byte_budget: None }
    }

    /// Sets `b`, the size of the smallest level. Batches may have any size all the same; see the crate's documentation
    /// on choosing it.
    #[must_use]
    pub const fn batch_size(self, batch_size: usize) -> Self {
        Self { batch_size, ..self }
    }

    /// Sets the most bytes that the dictionary's arrays may occupy at any time, those of an update or of queries under
    /// way included; what a call copies to or from the caller's own memory is not. A call that would need more is an error
    /// and changes nothing.
    #[must_use]
    pub const fn byte_budget(self, bytes: u64) -> Self {
        Self { byte_budget: Some(bytes), ..self }
    }

    /// The size of the smallest level.
    pub const fn get_batch_size(&self) -> usize {
        self.batch_size
    }

    /// The most bytes that the dictionary may use, where that is limited.
    pub const fn get_byte_budget(&self) -> Option<u64> {
        self.byte_budget
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.batch_size == 0 { Err(Error::ZeroBatchSize) } else { Ok(()) }
    }
}

/// Bytes that a dictionary will need, known before it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes of the live entries themselves.
    pub payload: u64,
    /// The most bytes that the runs occupy between two calls, however the entries came in.
    pub resident: u64,
    /// The most bytes that are in use at once while the dictionary is built or takes a batch of up to `n` operations.
    pub peak: u64,
}

impl Footprint {
    /// What `n` live entries need.
    pub(crate) fn of<K: Key, V: Value>(n: u64, config: &Config) -> Self {
        let (key, value) = (size_of::<K>() as u128, size_of::<V>() as u128);
        let (n, b) = (u128::from(n), config.batch_size as u128);
        let batch = n.max(b);
        // The space rule's bound; an eighth of a byte for the mark, four thirds for the index, three eighths for the tally,
        // together less than two; and what each of a few dozen runs has at least.
        let entries = (n * 5).div_ceil(2) + 4 * b;
        let bytes = |entries: u128| entries * (key + value + 2) + 8192;
        let slack = SLACK as u128;
        let resident = bytes(entries) * slack / (slack - 1);
        // The batch's columns, two sorted pairs of key and position, and the values and marks in their order.
        let sorting = bytes(2 * batch) + batch * (2 * key + 12) + batch / 2;
        // A merge's input and output and what is selected of it; a word for each mark that is selected, one for each key that
        // newer ones may hide, and counts.
        let merging = 3 * bytes(entries + batch) + (entries + batch) * 10;
        let saturated = |bytes: u128| u64::try_from(bytes).unwrap_or(u64::MAX);
        Self {
            payload: saturated(n * (key + value)),
            resident: saturated(resident),
            peak: saturated(resident + sorting.max(merging)),
        }
    }
}
