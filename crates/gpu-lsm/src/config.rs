//! The options of a dictionary, and the memory that it will need.

use crate::error::{Error, Result};
use crate::placement;
use gpu_lsm_primitives::index_len;
use gpu_lsm_primitives::tuning::SLACK;
use gpu_lsm_primitives::{Code, Value};

/// Options of a dictionary. The defaults suit batches of thousands to millions of operations.
///
/// ```
/// use gpu_lsm::{Config, Device, Dictionary};
/// let config = Config::new().with_batch_size(1 << 12).with_byte_budget(1 << 30);
/// let dictionary = Dictionary::<u32, u32>::with_config(&Device::host(), config)?;
/// assert_eq!(dictionary.config().batch_size(), 4096);
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
    /// The batch size of a dictionary unless another is set.
    pub const DEFAULT_BATCH_SIZE: usize = 1 << 16;

    /// The default options: no byte budget, and [`DEFAULT_BATCH_SIZE`](Self::DEFAULT_BATCH_SIZE).
    ///
    /// ```
    /// use gpu_lsm::Config;
    /// assert_eq!(Config::new().batch_size(), Config::DEFAULT_BATCH_SIZE);
    /// ```
    pub const fn new() -> Self {
        Self { batch_size: Self::DEFAULT_BATCH_SIZE, byte_budget: None }
    }

    /// Sets `b`, the capacity of the smallest level. Batches may still have any size. The documentation of the crate
    /// says how to choose it.
    ///
    /// ```
    /// use gpu_lsm::Config;
    /// assert_eq!(Config::new().with_batch_size(1 << 12).batch_size(), 4096);
    /// ```
    #[must_use]
    pub const fn with_batch_size(self, batch_size: usize) -> Self {
        Self { batch_size, ..self }
    }

    /// Sets the byte budget: the most bytes that the dictionary's arrays may occupy at any time. This includes the
    /// arrays of updates and queries in progress, and the results that a call is building in the host's memory. A call
    /// that would need more returns an error and changes nothing.
    ///
    /// ```
    /// use gpu_lsm::Config;
    /// assert_eq!(Config::new().with_byte_budget(1 << 30).byte_budget(), Some(1 << 30));
    /// ```
    ///
    /// Inserts are refused early enough that entries can still be deleted: as long as no snapshot and no result on the
    /// device is alive, deletes, range deletes and cleanups never exceed the budget. They take longer if memory is
    /// tight.
    #[must_use]
    pub const fn with_byte_budget(self, bytes: u64) -> Self {
        Self { byte_budget: Some(bytes), ..self }
    }

    /// The capacity of the smallest level.
    ///
    /// ```
    /// use gpu_lsm::Config;
    /// assert_eq!(Config::new().with_batch_size(1000).batch_size(), 1000);
    /// ```
    pub const fn batch_size(&self) -> usize {
        self.batch_size
    }

    /// The most bytes that the dictionary may use, if there is a limit.
    ///
    /// ```
    /// use gpu_lsm::Config;
    /// assert_eq!(Config::new().byte_budget(), None);
    /// assert_eq!(Config::new().with_byte_budget(1 << 30).byte_budget(), Some(1 << 30));
    /// ```
    pub const fn byte_budget(&self) -> Option<u64> {
        self.byte_budget
    }

    pub(crate) const fn with_budget(self, byte_budget: Option<u64>) -> Self {
        Self { byte_budget, ..self }
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.batch_size == 0 { Err(Error::ZeroBatchSize) } else { Ok(()) }
    }
}

/// The bytes that a dictionary will need, computed in advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Footprint {
    /// Bytes of the live entries themselves.
    pub payload: u64,
    /// The expected need if the keys of all batches are distinct. From a few thousand entries on, it is at most one and
    /// a half times the actual use.
    pub expected: Need,
    /// The most that updates can ever need, however entries are inserted, overwritten and deleted. As long as no snapshot and
    /// no result on the device is alive, a byte budget of [`most.peak`](Need::peak) refuses no update of at most `batch`
    /// operations while there are at most `n` live entries. Queries need room of their own.
    pub most: Need,
}

/// Bytes that a dictionary needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Need {
    /// The bytes that the runs occupy between calls.
    pub resident: u64,
    /// The most bytes in use at any moment of an update.
    pub peak: u64,
}

/// The bytes of an entry's key and value, from which the rest is computed.
#[derive(Clone, Copy)]
struct Entry {
    key: u128,
    value: u128,
}

impl Entry {
    fn of<K: Code, V: Value>() -> Self {
        Self { key: size_of::<K>() as u128, value: size_of::<V>() as u128 }
    }

    /// Bytes of runs. Per entry, marks take an eighth of a byte, the index four thirds and the tally three eighths:
    /// less than two bytes together. The constant covers the minimum of a few dozen runs.
    fn runs(self, entries: u128) -> u128 {
        entries * (self.key + self.value + 2) + 8192
    }

    /// Bytes of runs whose arrays have the most slack allowed.
    fn slack_runs(self, entries: u128) -> u128 {
        let slack = SLACK as u128;
        self.runs(entries) * slack / (slack - 1)
    }

    /// Bytes of runs of these lengths without tombstones and tallies.
    fn exactly(self, lens: &[u64]) -> u128 {
        let run = |len: u64| u128::from(len) * (self.key + self.value) + 4 * index_len(len as usize) as u128;
        lens.iter().filter(|&&len| len > 0).map(|&len| run(len) + 64).sum()
    }

    /// Bytes of a batch while it is sorted: its columns, two pairs of sorted keys and positions, and values and marks
    /// in sorted order.
    fn sorting(self, batch: u128) -> u128 {
        self.runs(2 * batch) + batch * (2 * self.key + 12) + batch / 2
    }

    /// Bytes of a merge: its input, its output and the entries selected from it; also a word for each selected mark, a
    /// word for each key that newer keys may hide, and counts. A merge of four needs less: it has no marks, and half a byte
    /// per entry says where it comes from.
    fn merging(self, entries: u128) -> u128 {
        3 * self.runs(entries) + entries * 10
    }
}

impl Footprint {
    /// The need of `n` live entries that come in batches.
    pub(crate) fn of<K: Code, V: Value>(n: u64, batch: u64, config: &Config) -> Self {
        let entry = Entry::of::<K, V>();
        let b = (config.batch_size as u64).max(1);
        Self {
            payload: saturated(u128::from(n) * (entry.key + entry.value)),
            expected: expected(entry, n, batch, b),
            most: most(entry, n, batch, b),
        }
    }
}

/// The most that the space rule allows.
fn most(entry: Entry, n: u64, batch: u64, b: u64) -> Need {
    let (n, batch, b) = (u128::from(n), u128::from(batch.max(1)), u128::from(b));
    let entries = (n * 5).div_ceil(2) + 4 * b;
    let resident = entry.slack_runs(entries);
    let peak = resident + entry.sorting(batch).max(entry.merging(entries + batch));
    let reserve = reserved(entry, saturated(entries), saturated(b));
    Need { resident: saturated(resident), peak: saturated(peak.max(reserve)) }
}

/// The need if batches have distinct keys, by simulating their placement on levels.
fn expected(entry: Entry, n: u64, batch: u64, b: u64) -> Need {
    // At most about 2^16 steps are simulated: only the largest merges matter.
    let batch = batch.clamp(n / (1 << 16) + 1, n.max(1));
    let (mut lens, mut done, mut peak) = (Vec::new(), 0, 0u128);
    while done < n {
        let step = batch.min(n - done);
        let through = placement::merge_through(&lens, step, b);
        let merged: u64 = lens.iter().take(through + 1).sum();
        let oldest = lens.iter().take(through + 1).rfind(|&&len| len > 0).copied().unwrap_or(0);
        let before = entry.exactly(&lens);
        let wide = |entries: u64| u128::from(entries);
        let sorting = wide(step) * (4 * entry.key + 4 + entry.value);
        let merging = (2 * wide(merged) - wide(oldest) + 2 * wide(step)) * (entry.key + entry.value);
        let settling = entry.exactly(&[merged + step]);
        peak = peak.max(before + sorting.max(merging).max(settling) * 21 / 20);
        lens.iter_mut().take(through + 1).for_each(|len| *len = 0);
        let level = placement::level_for(merged + step, b);
        lens.resize(lens.len().max(level + 1), 0);
        lens[level] = merged + step;
        done += step;
    }
    // Tallies take three words per 32 entries once somebody counts.
    let resident = entry.exactly(&lens) + u128::from(n) * 3 / 8;
    Need { resident: saturated(resident), peak: saturated(peak.max(resident) + 256) }
}

/// The most bytes that deletes and cleanups need on the frugal way if no snapshot is alive: the runs that deletes can
/// make of the entries, beside them the single run that these become, one chunk in progress, and a little for each
/// array.
pub(crate) fn reserve<K: Code, V: Value>(positive: u64, b: u64) -> u64 {
    if positive == 0 { 0 } else { saturated(reserved(Entry::of::<K, V>(), positive, b)) }
}

fn reserved(entry: Entry, positive: u64, b: u64) -> u128 {
    let most = placement::most_after_deletes(positive, b);
    let chunk = u128::from(placement::frugal_chunk(most));
    let run = u128::from(positive) * (entry.key + entry.value + 4);
    entry.slack_runs(u128::from(most)) + run + entry.merging(chunk)
}

fn saturated(bytes: u128) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
