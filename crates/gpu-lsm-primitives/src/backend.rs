//! The menu: everything that a dictionary asks of a device.

pub use crate::arrays::{Array, Arrays};
use crate::entries::{Answers, Bounds, Candidates, Neighbours, Pile, Run, Sorted, Tally, Tombstones};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::meter::Meter;
use crate::recoding::Recoding;
use crate::value::{Plain, Value};
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

/// Elements on their way to the host.
pub type Download<T> = Pin<Box<dyn Future<Output = Result<Vec<T>>> + Send>>;

/// Stops a clock of the device and tells its seconds, where the device has one. Waits for the device.
pub type DeviceClock = Box<dyn FnOnce() -> Option<f64>>;

/// A device that holds arrays and works on them.
///
/// Calls are asynchronous where the device is: only those that say so wait for it. What a backend returns is the same,
/// byte for byte, as what every other backend returns, but for a run's index, which may have more parts.
pub trait Backend: Arrays {
    /// The account of this backend's memory.
    fn meter(&self) -> &Arc<Meter>;

    /// Whether the device can work with keys `K`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where it cannot.
    fn supports<K: Key>(&self) -> Result<()>;

    /// Whether the device still answers.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] where it is known to be lost, [`Error::NoThreads`] where the host has no threads.
    fn alive(&self) -> Result<()>;

    /// The most elements of `bytes` bytes that one array can have.
    fn max_len(&self, bytes: usize) -> u64;

    /// Bytes that the engine has reserved on the device, for everything that runs there; nothing where there is no
    /// engine or no device any more. Does not wait.
    fn engine_bytes(&self) -> Option<u64>;

    /// Starts the device's own clock, where it has one: it runs while the device works.
    fn device_clock(&self) -> Option<DeviceClock> {
        None
    }

    /// Copies `data` to the device. Does not wait for it.
    ///
    /// # Errors
    /// Where there is no room.
    fn upload<T: Plain>(&self, data: &[T]) -> Result<Self::Array<T>>;

    /// Copies the first `len` elements of an array to the host. Waits for the device.
    ///
    /// # Errors
    /// Where the work that was to write the array failed.
    fn download<T: Plain>(&self, array: &Self::Array<T>, len: usize) -> Result<Vec<T>>;

    /// Copies the first `len` elements of an array to the host, when the future is first polled. Does not wait.
    fn download_async<T: Plain>(&self, array: &Self::Array<T>, len: usize) -> Download<T>;

    /// Room for `len` elements, of no defined content. Does not wait.
    ///
    /// # Errors
    /// Where there is no room.
    fn room<T: Plain>(&self, len: usize) -> Result<Self::Array<T>>;

    /// Some neighbouring elements, as an array that may share the memory. Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn slice<T: Plain>(&self, array: &Self::Array<T>, range: Range<usize>) -> Result<Self::Array<T>>;

    /// Copies the first `len` elements of an array into another, which nobody shares, from its element `at` on. Does not
    /// wait.
    ///
    /// # Errors
    /// Where the device fails.
    fn copy_into<T: Plain>(
        &self,
        from: &Self::Array<T>,
        len: usize,
        to: &mut Self::Array<T>,
        at: usize,
    ) -> Result<()>;

    /// One array from two, whose elements have whole words. Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn concat<T: Plain>(&self, first: &Self::Array<T>, second: &Self::Array<T>) -> Result<Self::Array<T>>;

    /// A bit for each of `len` positions, set from the `first` on. Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn marks(&self, first: usize, len: usize) -> Result<Self::Array<u32>>;

    /// Keys in their other form, which has the same size. Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn recode<T: Plain, U: Plain>(&self, keys: &Self::Array<T>, recoding: Recoding)
    -> Result<Self::Array<U>>;

    /// A number that the host knows, for the device. Does not wait.
    ///
    /// # Errors
    /// Where there is no room.
    fn count(&self, number: u32) -> Result<Self::Count>;

    /// Sorts keys with their positions; equal keys stay in order of position. Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn sort<K: Key>(&self, keys: &Self::Array<K>) -> Result<Sorted<Self, K>>;

    /// The sums of all elements before each, and at the end the sum of all; a sum that is too large for 32 bits is the
    /// largest number. Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn scan(&self, numbers: &Self::Array<u32>) -> Result<Self::Array<u32>>;

    /// A batch in the order of its keys: each with its value, and with its mark where there are any. Does not wait.
    ///
    /// A position past the end of `values` has the value zero. `marks` has a bit per position, set for a tombstone.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn arrange<K: Key, V: Value>(
        &self,
        sorted: &Sorted<Self, K>,
        values: &Self::Array<V>,
        marks: Option<&Self::Array<u32>>,
    ) -> Result<Pile<Self, K, V>>;

    /// One pile from a newer and an older one; all entries stay. Does not wait.
    ///
    /// # Errors
    /// Where both together are more than an array can hold, where there is no room, or where the device fails.
    fn merge<K: Key, V: Value>(
        &self,
        newer: &Pile<Self, K, V>,
        older: &Pile<Self, K, V>,
    ) -> Result<Pile<Self, K, V>>;

    /// The same two piles without what newer entries hide. Waits for how many those are.
    ///
    /// # Errors
    /// Where there is no room, or where the device fails.
    fn shortened<K: Key, V: Value>(
        &self,
        newer: &Pile<Self, K, V>,
        older: &Pile<Self, K, V>,
    ) -> Result<[Pile<Self, K, V>; 2]>;

    /// A run of what counts in a pile, merged with an older one where there is one: of equal keys the last. With
    /// [`Tombstones::Drop`] without tombstones. Waits until it is there.
    ///
    /// # Errors
    /// Where both together are more than an array can hold, or where any of the work behind the entries failed.
    fn settle<K: Key, V: Value>(
        &self,
        newer: Pile<Self, K, V>,
        older: Option<Pile<Self, K, V>>,
        tombstones: Tombstones,
    ) -> Result<Run<Self, K, V>>;

    /// Room for the answers to `len` queries, to be written by the first [`search`](Self::search). Does not wait.
    ///
    /// # Errors
    /// Where there is no room.
    fn answers<V: Value>(&self, len: usize) -> Result<Answers<Self, V>>;

    /// Answers from `run` the queries that no newer run has answered. Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn search<K: Key, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        queries: &Self::Array<K>,
        answers: &mut Answers<Self, V>,
        turn: Turn,
    ) -> Result<()>;

    /// The last of some numbers, of which there is at least one. Does not wait.
    ///
    /// # Errors
    /// Where the device is lost.
    fn last(&self, numbers: &Self::Array<u32>) -> Result<Self::Count>;

    /// Reads numbers back. Waits for the device.
    ///
    /// # Errors
    /// Where the work that was to write them failed.
    fn read_counts(&self, counts: &[&Self::Count]) -> Result<Vec<u32>>;

    /// Where the interval of each query, up to and with `upper`, lies in a run. Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn bounds<K: Key, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        lower: &Self::Array<K>,
        upper: &Self::Array<K>,
        start: Start,
    ) -> Result<Bounds<Self>>;

    /// How the entries of a run change which keys there are; `found` has for each 1 where older runs have its key, else 0.
    /// Waits until it is there.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn tally<K: Key, V: Value>(&self, run: &Run<Self, K, V>, found: &Self::Array<u32>)
    -> Result<Tally<Self>>;

    /// The changes in each query's interval, with both bounds, added to those of other runs, whose memory may be used
    /// again. Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn tallied<K: Key, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        tally: &Tally<Self>,
        lower: &Self::Array<K>,
        upper: &Self::Array<K>,
        counts: Option<Self::Array<u32>>,
    ) -> Result<Self::Array<u32>>;

    /// The entries of a run that lie in the intervals, one query after the other; there are at most `room`. Does not wait.
    ///
    /// # Errors
    /// Where they are more than an array can hold, where there is no room, or where the device fails.
    fn expand<K: Key, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        bounds: &Bounds<Self>,
        room: usize,
    ) -> Result<Candidates<Self, K, V>>;

    /// The candidates of newer runs merged with those of an older run, which are `total`; all entries stay. Does not wait.
    ///
    /// # Errors
    /// Where they are more than an array can hold, where there is no room, or where the device fails.
    fn overlay<K: Key, V: Value>(
        &self,
        newer: &Candidates<Self, K, V>,
        older: &Run<Self, K, V>,
        bounds: &Bounds<Self>,
        total: usize,
    ) -> Result<Candidates<Self, K, V>>;

    /// Of the candidates of each query, what counts: of equal keys the last, and no tombstones. There is no room for more than
    /// the candidates are. Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn live<K: Key, V: Value>(&self, candidates: &Candidates<Self, K, V>) -> Result<Candidates<Self, K, V>>;

    /// The `limit`, at least 1, entries of a run that are nearest to each query, and how far all windows reach: `horizons`
    /// are those of the runs before, whose memory may be used again. Up to a query's horizon no entry is missing; it is
    /// the end of the domain where no window was cut. Where `states` are given, queries that are not open get no window.
    /// Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn window<K: Key, V: Value>(
        &self,
        run: &Run<Self, K, V>,
        queries: &Self::Array<K>,
        way: Way,
        limit: u32,
        horizons: Option<Self::Array<K>>,
        states: Option<&Self::Array<u32>>,
    ) -> Result<(Bounds<Self>, Self::Array<K>)>;

    /// The nearest entry of each query, where what is near tells it, and how many queries it leaves open. Of those that
    /// an earlier round answered, which `before` has, the answers stay; its memory may be used again. A query without such
    /// an entry gets the key `missing`. Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn nearest<K: Key, V: Value>(
        &self,
        near: &Nearby<'_, Self, K, V>,
        way: Way,
        missing: K,
        before: Option<Neighbours<Self, K, V>>,
    ) -> Result<(Neighbours<Self, K, V>, Self::Count)>;

    /// The first `limit` entries of each query, as bounds in the list that the offsets belong to. Does not wait.
    ///
    /// # Errors
    /// Where there is no room or the device fails.
    fn clip(&self, offsets: &Self::Array<u32>, limit: u32) -> Result<Bounds<Self>>;
}

impl<B: Backend, K: Key, V: Value> Run<B, K, V> {
    /// A run without entries.
    ///
    /// # Errors
    /// Where there is no room.
    pub fn empty(backend: &B) -> Result<Self> {
        Ok(Self {
            keys: backend.upload(&[])?,
            values: backend.upload(&[])?,
            marks: None,
            len: 0,
            tombstones: 0,
            index: backend.upload(&[])?,
            tally: Arc::default(),
        })
    }
}

/// Live entries near some queries.
pub struct Nearby<'a, B: Backend, K: Key, V: Value> {
    /// The entries, by query and key.
    pub entries: &'a Pile<B, K, V>,
    /// For each query, and one past the last, where its entries start.
    pub offsets: &'a B::Array<u32>,
    /// For each query, up to where no entry is missing.
    pub horizons: &'a B::Array<K>,
}

/// Whether an interval includes its lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It starts at the bound.
    At,
    /// It starts after the bound.
    After,
}

/// In which direction from a query entries are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Upwards, from the query on.
    Up,
    /// Upwards, from after the query on.
    UpAfter,
    /// Downwards, from the query on.
    Down,
}

/// Where a run stands among those that are searched, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// No run was searched before: what the answers hold is not read.
    pub first: bool,
    /// No run will be searched after: what is still open is answered "missing".
    pub last: bool,
}

/// Checks that an array of `entries` keys and one of as many values fit the device.
///
/// # Errors
/// [`Error::TooLarge`] where they do not.
pub fn check_entries<B: Backend, K: Key, V: Value>(backend: &B, entries: u64) -> Result<()> {
    check_len(backend, entries, size_of::<K>().max(size_of::<V>()))
}

/// Checks that positions in an input of `entries` entries can be told apart.
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
