//! Queries whose results stay on the device.

use crate::backed::on_backend;
use crate::buffer::Buffer;
use crate::column::{Keys, intervals_on};
use crate::error::Result;
use crate::key::{Key, zero_code};
use crate::lists::wide;
use crate::lookup::Answers;
use crate::neighbour::Neighbours;
use crate::range::Ranges;
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::{Start, Value, Way};

/// The queries of a [`Snapshot`] with their results left on its device. Made by [`Snapshot::on_device`].
///
/// Queries may be on the host, and are copied then, or on the device. All candidates of a call together must fit one
/// array of the device, and so must three numbers for each query; for neighbours, one candidate for each query and level at least.
/// What does not fit is an error that says the
/// limit; the same call on the [`Snapshot`], with the queries on the host, answers in pieces.
///
/// Results count against the dictionary's byte budget until they are dropped.
#[derive(Debug, Clone, Copy)]
pub struct OnDevice<'s, K: Key, V: Value> {
    pub(crate) snapshot: &'s Snapshot<K, V>,
}

impl<K: Key, V: Value> OnDevice<'_, K, V> {
    /// Looks keys up. Does not wait for the device.
    ///
    /// # Errors
    /// Where a buffer is on another device, or the device has no room for the queries.
    pub fn lookup<'a>(&self, keys: impl Into<Keys<'a, K>>) -> Result<DeviceAnswers<V>> {
        let keys = keys.into();
        on_backend!(&self.snapshot.inner, core => {
            let answers = core.lookup(&keys.codes_on(&core.backend)?)?;
            Ok(DeviceAnswers {
                found: Buffer::new(&core.backend, answers.found),
                values: Buffer::new(&core.backend, answers.values),
            })
        })
    }

    /// Counts the entries from each of the `lower` keys to the `upper` key beside it, both inclusive. Waits once, for the
    /// number of candidates, and once for each level that it tallies, which it does once and where there are many; not at
    /// all where all levels are tallied, or there is one.
    ///
    /// # Errors
    /// Where the columns differ in length, a buffer is on another device, or the device has no room.
    pub fn count<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
    ) -> Result<Buffer<u32>> {
        let (lower, upper) = (lower.into(), upper.into());
        on_backend!(&self.snapshot.inner, core => {
            let intervals = intervals_on(&core.backend, &lower, &upper, Start::At)?;
            Ok(Buffer::new(&core.backend, core.count(&intervals, u64::MAX)?))
        })
    }

    /// Finds the entries from each of the `lower` keys to the `upper` key beside it, both inclusive, in ascending order.
    /// Waits for the number of candidates, and once for each level that it tallies, as [`count`](Self::count) does; then for
    /// the number of entries, unless all levels with candidates are known to hide nothing.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    pub fn range<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
    ) -> Result<DeviceRanges<K, V>> {
        self.ranges(&lower.into(), &upper.into(), Start::At, None)
    }

    /// Like [`range`](Self::range), with at most the first `limit` entries of each query. Waits as it does, always for the
    /// number of entries; and where levels may hide some, reads back how far each query came. Where that leaves a query short
    /// of its limit, all are answered by way of the host.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    pub fn range_first<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
        limit: u32,
    ) -> Result<DeviceRanges<K, V>> {
        self.ranges(&lower.into(), &upper.into(), Start::At, Some(limit))
    }

    /// Like [`range_first`](Self::range_first), from the first key *after* each of `after`. Waits as it does.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    pub fn range_after<'a, 'b>(
        &self,
        after: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
        limit: u32,
    ) -> Result<DeviceRanges<K, V>> {
        self.ranges(&after.into(), &upper.into(), Start::After, Some(limit))
    }

    pub(crate) fn ranges(
        &self,
        lower: &Keys<'_, K>,
        upper: &Keys<'_, K>,
        start: Start,
        limit: Option<u32>,
    ) -> Result<DeviceRanges<K, V>> {
        on_backend!(&self.snapshot.inner, core => {
            let backend = &core.backend;
            let intervals = intervals_on(backend, lower, upper, start)?;
            let found = match limit {
                Some(limit) => core.range_first(&intervals, limit)?,
                None => core.exact(core.range(&core.whole_runs()?, &intervals, u64::MAX)?)?,
            };
            Ok(DeviceRanges {
                offsets: Buffer::new(backend, found.offsets),
                keys: Buffer::new(backend, K::decode(backend, &found.entries.keys)?),
                values: Buffer::new(backend, found.entries.values),
            })
        })
    }

    /// Finds the first entry at or after each key. Waits twice, for the number of candidates and for that of queries which
    /// a stretch of tombstones leaves open; for these, again. Past a long stretch it counts instead: it makes tallies, waits
    /// for each bit of a key, and copies all answers to the host and back.
    ///
    /// # Errors
    /// Where a buffer is on another device, or the device has no room.
    pub fn successor<'a>(&self, keys: impl Into<Keys<'a, K>>) -> Result<DeviceNeighbours<K, V>> {
        self.neighbours(&keys.into(), Way::Up)
    }

    /// Finds the last entry at or before each key. Waits as [`successor`](Self::successor) does.
    ///
    /// # Errors
    /// As [`successor`](Self::successor).
    pub fn predecessor<'a>(&self, keys: impl Into<Keys<'a, K>>) -> Result<DeviceNeighbours<K, V>> {
        self.neighbours(&keys.into(), Way::Down)
    }

    pub(crate) fn neighbours(&self, keys: &Keys<'_, K>, way: Way) -> Result<DeviceNeighbours<K, V>> {
        on_backend!(&self.snapshot.inner, core => {
            let backend = &core.backend;
            let (nearest, _) = core.neighbours(&keys.codes_on(backend)?, way, zero_code::<K>(), u64::MAX)?;
            Ok(DeviceNeighbours {
                found: Buffer::new(backend, nearest.found),
                keys: Buffer::new(backend, K::decode(backend, &nearest.keys)?),
                values: Buffer::new(backend, nearest.values),
            })
        })
    }
}

/// The answers to a list of lookups, on the device.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DeviceAnswers<V: Value> {
    /// For each query 1 where the key is present, else 0.
    pub found: Buffer<u32>,
    /// For each query the value, zero where the key is missing.
    pub values: Buffer<V>,
}

impl<V: Value> DeviceAnswers<V> {
    /// Copies the answers to the host. Waits for the device.
    ///
    /// # Errors
    /// Where the work that was to write them failed.
    pub fn read(&self) -> Result<Answers<V>> {
        Ok(Answers::new(self.found.read()?, self.values.read()?))
    }

    /// Like [`read`](Self::read), without blocking.
    ///
    /// # Errors
    /// Where the work that was to write them failed.
    pub async fn read_async(&self) -> Result<Answers<V>> {
        Ok(Answers::new(self.found.read_async().await?, self.values.read_async().await?))
    }
}

/// The entries that a list of range queries found, on the device, in compressed form.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DeviceRanges<K: Key, V: Value> {
    /// For each query, and one past the last, how many entries the queries before it found. 32 bits: they are one array.
    pub offsets: Buffer<u32>,
    /// The keys that all queries found.
    pub keys: Buffer<K::Native>,
    /// The values that all queries found, as many.
    pub values: Buffer<V>,
}

impl<K: Key, V: Value> DeviceRanges<K, V> {
    /// Copies the entries to the host. Waits for the device.
    ///
    /// # Errors
    /// Where the work that was to write them failed.
    pub fn read(&self) -> Result<Ranges<K, V>> {
        let offsets = self.offsets.read()?;
        let (keys, values) = (self.keys.read()?, self.values.read()?);
        let meter = self.keys.meter();
        Ok(Ranges::new(wide(meter, offsets)?, K::from_natives(meter, keys)?, values))
    }

    /// Like [`read`](Self::read), without blocking.
    ///
    /// # Errors
    /// Where the work that was to write them failed.
    pub async fn read_async(&self) -> Result<Ranges<K, V>> {
        let offsets = self.offsets.read_async().await?;
        let (keys, values) = (self.keys.read_async().await?, self.values.read_async().await?);
        let meter = self.keys.meter();
        Ok(Ranges::new(wide(meter, offsets)?, K::from_natives(meter, keys)?, values))
    }
}

/// The entries nearest to a list of keys, on the device.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DeviceNeighbours<K: Key, V: Value> {
    /// For each query 1 where there is such an entry, else 0.
    pub found: Buffer<u32>,
    /// For each query the key of the entry, zero where there is none.
    pub keys: Buffer<K::Native>,
    /// For each query the value of the entry, zero where there is none.
    pub values: Buffer<V>,
}

impl<K: Key, V: Value> DeviceNeighbours<K, V> {
    /// Copies the entries to the host. Waits for the device.
    ///
    /// # Errors
    /// Where the work that was to write them failed.
    pub fn read(&self) -> Result<Neighbours<K, V>> {
        let (found, keys, values) = (self.found.read()?, self.keys.read()?, self.values.read()?);
        Ok(Neighbours::new(found, K::from_natives(self.keys.meter(), keys)?, values))
    }

    /// Like [`read`](Self::read), without blocking.
    ///
    /// # Errors
    /// Where the work that was to write them failed.
    pub async fn read_async(&self) -> Result<Neighbours<K, V>> {
        let (found, keys) = (self.found.read_async().await?, self.keys.read_async().await?);
        let keys = K::from_natives(self.keys.meter(), keys)?;
        Ok(Neighbours::new(found, keys, self.values.read_async().await?))
    }
}
