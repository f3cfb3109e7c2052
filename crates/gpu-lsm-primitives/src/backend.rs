//! The backend: everything that a dictionary asks of a device.

pub use crate::arrays::{Array, Arrays};
use crate::code::Code;
use crate::entries::{Answers, Bounds, Candidates, Neighbours, Pile, Run, Sorted, Tally, Tombstones};
use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::recoding::Recoding;
use crate::value::{Plain, Value};
pub use crate::ways::{Start, Turn, Way};
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

/// Elements that are being copied to the host.
pub type Download<T> = Pin<Box<dyn Future<Output = Result<Vec<T>>> + Send>>;

/// Stops a device's clock and returns the seconds, if the device can measure them. Waits for the device.
pub type DeviceClock = Box<dyn FnOnce() -> Option<f64>>;

/// A device that holds arrays and works on them.
///
/// Calls are asynchronous if the device is: only calls that say so wait for it. Every backend returns the same results,
/// byte for byte, except that a run's index may have more parts.
pub trait Backend: Arrays {
    /// The meter of this backend's memory.
    fn meter(&self) -> &Arc<Meter>;

    /// Whether the device can work with keys `K`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if it cannot.
    fn supports<K: Code>(&self) -> Result<()>;

    /// Checks that the device has not been lost.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] if it is known to be lost, [`Error::NoThreads`] if the host has no threads.
    fn alive(&self) -> Result<()>;

    /// The most elements of `bytes` bytes each that one array can have.
    fn max_len(&self, bytes: usize) -> u64;

    /// Bytes that the engine has reserved on the device, for everything that runs there; `None` if there is no engine
    /// or the device is gone. Does not wait.
    fn engine_bytes(&self) -> Option<u64>;

    /// Starts the device's own clock, if it has one. The clock runs while the device works.
    fn device_clock(&self) -> Option<DeviceClock> {
        None
    }

    /// Calls `work` with each item, in any order or at the same time, and returns the results in the order of the items.
    /// By default one after the other: a GPU does one call's work after the other's in any case.
    fn each<T: Send, R: Send>(&self, items: Vec<T>, work: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
        items.into_iter().map(work).collect()
    }

    /// Copies `data` to the device. Does not wait.
    ///
    /// # Errors
    /// If memory runs out.
    fn upload<T: Plain>(&self, data: &[T]) -> Result<Self::Array<T>>;

    /// Brings `data` to the device, without a copy if that is the host. Does not wait.
    ///
    /// # Errors
    /// If memory runs out.
    fn adopt<T: Plain>(&self, data: Vec<T>) -> Result<Self::Array<T>> {
        self.upload(&data)
    }

    /// Copies the first `len` elements of an array to the host. Waits for the device.
    ///
    /// # Errors
    /// If the work that should have written the array failed.
    fn download<T: Plain>(&self, array: &Self::Array<T>, len: usize) -> Result<Vec<T>>;

    /// Copies the first `len` elements of an array to the host. The copy starts when the future is first polled. Does
    /// not wait.
    fn download_async<T: Plain>(&self, array: &Self::Array<T>, len: usize) -> Download<T>;

    /// Allocates an array of `len` elements with undefined content. Does not wait.
    ///
    /// # Errors
    /// If memory runs out.
    fn room<T: Plain>(&self, len: usize) -> Result<Self::Array<T>>;

    /// A contiguous part of an array, which may share its memory. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn slice<T: Plain>(&self, array: &Self::Array<T>, range: Range<usize>) -> Result<Self::Array<T>>;

    /// Copies the first `len` elements of an array into another array, starting at its element `at`. The other array
    /// must not be shared. Does not wait.
    ///
    /// # Errors
    /// If the device fails.
    fn copy_into<T: Plain>(
        &self,
        from: &Self::Array<T>,
        len: usize,
        to: &mut Self::Array<T>,
        at: usize,
    ) -> Result<()>;

    /// Concatenates two arrays. Their elements must consist of whole words. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn concat<T: Plain>(&self, first: &Self::Array<T>, second: &Self::Array<T>) -> Result<Self::Array<T>>;

    /// One bit for each of `len` positions, set from position `first` on. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn marks(&self, first: usize, len: usize) -> Result<Self::Array<u32>>;

    /// The values and the marks of a batch: `flags` has a number for each operation, zero for an insert and any other for
    /// a delete, whose value becomes zero. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn mask<V: Value>(
        &self,
        values: &Self::Array<V>,
        flags: &Self::Array<u32>,
    ) -> Result<(Self::Array<V>, Self::Array<u32>)>;

    /// Converts natives to codes, or codes to natives. Both have the same size. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn recode<T: Plain, U: Plain>(&self, keys: &Self::Array<T>, recoding: Recoding)
    -> Result<Self::Array<U>>;

    /// Sorts keys, each with its position. Equal keys stay in the order of their positions. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn sort<K: Code>(&self, keys: &Self::Array<K>) -> Result<Sorted<Self, K>>;

    /// For each element, the sum of all elements before it; at the end, the sum of all. A sum that does not fit 32 bits
    /// becomes the largest number. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn scan(&self, numbers: &Self::Array<u32>) -> Result<Self::Array<u32>>;

    /// A batch in the order of its keys: each key with its value and, if there are marks, with its mark. Does not wait.
    ///
    /// A position past the end of `values` has the value zero. `marks` has one bit per position, set for tombstones.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn arrange<K: Code, V: Value>(
        &self,
        sorted: &Sorted<Self, K>,
        values: &Self::Array<V>,
        marks: Option<&Self::Array<u32>>,
    ) -> Result<Pile<Self, K, V>>;

    /// Merges a newer and an older pile into one. All entries stay. Does not wait.
    ///
    /// # Errors
    /// If both together are more than an array can hold, memory runs out, or the device fails.
    fn merge<K: Code, V: Value>(
        &self,
        newer: &Pile<Self, K, V>,
        older: &Pile<Self, K, V>,
    ) -> Result<Pile<Self, K, V>>;

    /// The same two piles without their hidden entries. Waits for the number of entries that stay.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn shortened<K: Code, V: Value>(
        &self,
        newer: &Pile<Self, K, V>,
        older: &Pile<Self, K, V>,
    ) -> Result<[Pile<Self, K, V>; 2]>;

    /// Makes a run of a pile and older ones, newest first. If a key occurs several times, only its last entry stays.
    /// [`Tombstones::Drop`] drops all tombstones. Waits until the run is complete.
    ///
    /// # Errors
    /// If all together are more than an array can hold, or any of the work behind the entries failed.
    fn settle<K: Code, V: Value>(
        &self,
        newest: Pile<Self, K, V>,
        older: Vec<Pile<Self, K, V>>,
        tombstones: Tombstones,
    ) -> Result<Run<Self, K, V>>;

    /// Makes a run of a pile whose keys strictly ascend. Waits until the run is complete.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn run_of<K: Code, V: Value>(&self, ascending: Pile<Self, K, V>) -> Result<Run<Self, K, V>> {
        self.settle(ascending, Vec::new(), Tombstones::Keep)
    }

    /// Allocates the answers to `len` queries, for the first [`search`](Self::search) to write. Does not wait.
    ///
    /// # Errors
    /// If memory runs out.
    fn answers<V: Value>(&self, len: usize) -> Result<Answers<Self, V>>;

    /// Answers the queries that no newer run has answered, from `run`. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn search<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        queries: &Self::Array<K>,
        answers: &mut Answers<Self, V>,
        turn: Turn,
    ) -> Result<()>;

    /// The last of one or more numbers. Does not wait.
    ///
    /// # Errors
    /// If the device is lost.
    fn last(&self, numbers: &Self::Array<u32>) -> Result<Self::Count>;

    /// Reads numbers back. Waits for the device.
    ///
    /// # Errors
    /// If the work that should have written them failed.
    fn read_counts(&self, counts: &[&Self::Count]) -> Result<Vec<u32>>;

    /// Where the interval of each query, including `upper`, lies in a run. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn bounds<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        lower: &Self::Array<K>,
        upper: &Self::Array<K>,
        start: Start,
    ) -> Result<Bounds<Self>>;

    /// The tally of a run. `found` has for each entry 1 if older runs have its key, else 0. Waits until the tally is
    /// complete.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn tally<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        found: &Self::Array<u32>,
    ) -> Result<Tally<Self>>;

    /// The changes of a run in each query's interval, both bounds inclusive, added to `counts`, the changes of other
    /// runs. The memory of `counts` may be reused. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn tallied<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        tally: &Tally<Self>,
        lower: &Self::Array<K>,
        upper: &Self::Array<K>,
        counts: Option<Self::Array<u32>>,
    ) -> Result<Self::Array<u32>>;

    /// The entries of a run in the intervals, one query after the other. There are at most `room` of them. Does not
    /// wait.
    ///
    /// # Errors
    /// If they are more than an array can hold, memory runs out, or the device fails.
    fn expand<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        bounds: &Bounds<Self>,
        room: usize,
    ) -> Result<Candidates<Self, K, V>>;

    /// Merges the candidates of newer runs with the `total` candidates of an older run. All entries stay. Does not
    /// wait.
    ///
    /// # Errors
    /// If they are more than an array can hold, memory runs out, or the device fails.
    fn overlay<K: Code, V: Value>(
        &self,
        newer: &Candidates<Self, K, V>,
        older: &Run<Self, K, V>,
        bounds: &Bounds<Self>,
        total: usize,
    ) -> Result<Candidates<Self, K, V>>;

    /// The live candidates of each query: of several entries of a key the last, unless it is a tombstone. The arrays
    /// are no longer than those of the candidates. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn live<K: Code, V: Value>(&self, candidates: &Candidates<Self, K, V>) -> Result<Candidates<Self, K, V>>;

    /// The window of each query: the `limit` entries of a run nearest to it, where `limit` is at least 1. Also returns
    /// the horizons of all windows so far; `horizons` are those of the runs before, and their memory may be reused. Up
    /// to a query's horizon no entry is missing. It is the end of the domain if no window was cut short. If `states`
    /// are given, only open queries get a window. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn window<K: Code, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        queries: &Self::Array<K>,
        way: Way,
        limit: u32,
        horizons: Option<Self::Array<K>>,
        states: Option<&Self::Array<u32>>,
    ) -> Result<(Bounds<Self>, Self::Array<K>)>;

    /// The nearest entry of each query, if the entries near it determine the answer, and the number of queries that
    /// stay open. Answers of an earlier round, given as `before`, stay; their memory may be reused. A query that has no
    /// nearest entry gets the key `missing`. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn nearest<K: Code, V: Value>(
        &self,
        near: &Nearby<'_, Self, K, V>,
        way: Way,
        missing: K,
        before: Option<Neighbours<Self, K, V>>,
    ) -> Result<(Neighbours<Self, K, V>, Self::Count)>;

    /// The first `limit` entries of each query, as bounds in the list that `offsets` belong to. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn clip(&self, offsets: &Self::Array<u32>, limit: u32) -> Result<Bounds<Self>>;

    /// The first and the last codes of intervals that cover rectangles of points, for each
    /// [`COVER_INTERVALS`](crate::tuning::COVER_INTERVALS) in ascending order; unused ones are empty. Corners are codes of
    /// points, and inclusive. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn cover(
        &self,
        lower: &Self::Array<u64>,
        upper: &Self::Array<u64>,
    ) -> Result<(Self::Array<u64>, Self::Array<u64>)>;

    /// The candidates of the intervals that [`cover`](Self::cover) made, as candidates of the rectangles. Points outside
    /// their rectangle are marked too. Does not wait.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn outside<V: Value>(
        &self,
        candidates: &Candidates<Self, u64, V>,
        lower: &Self::Array<u64>,
        upper: &Self::Array<u64>,
    ) -> Result<Candidates<Self, u64, V>>;
}

/// Live entries near some queries.
pub struct Nearby<'a, B: Backend, K: Code, V: Value> {
    /// The entries, ordered by query and key.
    pub entries: &'a Pile<B, K, V>,
    /// For each query, and one past the last, the position where its entries start.
    pub offsets: &'a B::Array<u32>,
    /// For each query, the key up to which no entry is missing.
    pub horizons: &'a B::Array<K>,
}

/// Checks that arrays of `entries` keys and of `entries` values fit the device.
///
/// # Errors
/// [`Error::TooLarge`] if they do not.
pub fn check_entries<B: Backend, K: Code, V: Value>(backend: &B, entries: u64) -> Result<()> {
    check_len(backend, entries, size_of::<K>().max(size_of::<V>()))
}

/// Checks that positions can number `entries` entries.
#[cfg(feature = "baselines")]
pub(crate) fn check_positions<B: Backend>(backend: &B, entries: u64) -> Result<()> {
    check_len(backend, entries, 0)
}

/// Checks that an array of `entries` elements of `bytes` bytes fits the device.
pub(crate) fn check_len<B: Backend>(backend: &B, entries: u64, bytes: usize) -> Result<()> {
    let limit = backend.max_len(bytes);
    if entries <= limit {
        return Ok(());
    }
    Err(Error::TooLarge { entries, entry_bytes: bytes as u64, limit })
}
