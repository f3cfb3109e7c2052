//! What a dictionary can be told when it is made, and what it will need.

use crate::error::{Error, Result};
use crate::placement;
use gpu_lsm_primitives::index_len;
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
    /// way included, and what a call returns in the host's memory while it makes it. A call that would need more is an error
    /// and changes nothing.
    ///
    /// Inserts are refused while there is still room to get rid of entries: so long as no snapshot and no result on the
    /// device is alive, a delete, a range delete and a cleanup are never over the budget. When it is tight they take longer.
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

    pub(crate) const fn with_byte_budget(self, byte_budget: Option<u64>) -> Self {
        Self { byte_budget, ..self }
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.batch_size == 0 { Err(Error::ZeroBatchSize) } else { Ok(()) }
    }
}

/// Bytes that a dictionary will need, known before it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Footprint {
    /// Bytes of the live entries themselves.
    pub payload: u64,
    /// What to expect where the keys of all batches are distinct: from some thousand entries on, up to one and a half times
    /// what is then used.
    pub expected: Need,
    /// The most that there can be, however entries came in and were overwritten and deleted. A byte budget of
    /// [`most.peak`](Need::peak) never refuses a call.
    pub most: Need,
}

/// Bytes that a dictionary needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Need {
    /// Bytes that the runs occupy between two calls.
    pub resident: u64,
    /// Bytes that are in use at once while the dictionary takes a batch.
    pub peak: u64,
}

/// Bytes of entries: what of them depends on the types of keys and values.
#[derive(Clone, Copy)]
struct Entry {
    key: u128,
    value: u128,
}

impl Entry {
    fn of<K: Key, V: Value>() -> Self {
        Self { key: size_of::<K>() as u128, value: size_of::<V>() as u128 }
    }

    /// Bytes of runs: an eighth of a byte for the mark, four thirds for the index, three eighths for the tally, together
    /// less than two; and what each of a few dozen runs has at least.
    fn runs(self, entries: u128) -> u128 {
        entries * (self.key + self.value + 2) + 8192
    }

    /// Bytes of runs whose arrays have as much unused room as they may.
    fn slack_runs(self, entries: u128) -> u128 {
        let slack = SLACK as u128;
        self.runs(entries) * slack / (slack - 1)
    }

    /// Bytes of runs of such lengths without tombstones and tallies.
    fn exactly(self, lens: &[u64]) -> u128 {
        let run = |len: u64| u128::from(len) * (self.key + self.value) + 4 * index_len(len as usize) as u128;
        lens.iter().filter(|&&len| len > 0).map(|&len| run(len) + 64).sum()
    }

    /// Bytes of a batch while it is sorted: its columns, two sorted pairs of key and position, and values and marks in
    /// their order.
    fn sorting(self, batch: u128) -> u128 {
        self.runs(2 * batch) + batch * (2 * self.key + 12) + batch / 2
    }

    /// Bytes of a merge: its input, its output and what is selected of it; a word for each mark that is selected, one for
    /// each key that newer ones may hide, and counts.
    fn merging(self, entries: u128) -> u128 {
        3 * self.runs(entries) + entries * 10
    }
}

impl Footprint {
    /// What `n` live entries need that come in batches.
    pub(crate) fn of<K: Key, V: Value>(n: u64, batch: u64, config: &Config) -> Self {
        let entry = Entry::of::<K, V>();
        let b = config.batch_size as u64;
        Self {
            payload: saturated(u128::from(n) * (entry.key + entry.value)),
            expected: expected(entry, n, batch, b),
            most: most(entry, n, batch, b),
        }
    }
}

/// By the bound of the space rule.
fn most(entry: Entry, n: u64, batch: u64, b: u64) -> Need {
    let (n, batch, b) = (u128::from(n), u128::from(batch.max(1)), u128::from(b));
    let entries = (n * 5).div_ceil(2) + 4 * b;
    let resident = entry.slack_runs(entries);
    let peak = resident + entry.sorting(batch).max(entry.merging(entries + batch));
    let reserve = reserved(entry, saturated(entries), saturated(b));
    Need { resident: saturated(resident), peak: saturated(peak.max(reserve)) }
}

/// By what the levels do with batches of distinct keys.
fn expected(entry: Entry, n: u64, batch: u64, b: u64) -> Need {
    // So many steps tell as much as more would: what counts are the largest merges.
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
    // Three words for 32 entries are the tallies, once somebody counts.
    let resident = entry.exactly(&lens) + u128::from(n) * 3 / 8;
    Need { resident: saturated(resident), peak: saturated(peak.max(resident) + 256) }
}

/// The most that deletes and cleanups of entries need with no snapshot alive, by the frugal way: all runs that deletes can
/// make of them, and beside them the one run that all become, a chunk that is worked on, and a little for each array.
pub(crate) fn reserve<K: Key, V: Value>(positive: u64, b: u64) -> u64 {
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
