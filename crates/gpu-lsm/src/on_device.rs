//! Queries whose results stay on the device.

use crate::backed::on_backend;
use crate::buffer::Buffer;
use crate::column::{Keys, intervals_on};
use crate::device_results::{DeviceAnswers, DeviceNeighbours, DeviceRanges};
use crate::error::Result;
use crate::key::{Key, zero_code};
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::{Start, Value, Way};

/// The queries of a [`Snapshot`], with their results left on its device. Made by [`Snapshot::on_device`].
///
/// Queries may be on the host, from where they are copied, or on the device. All candidates of a call must fit one
/// array of the device, and so must three numbers per query. A search for neighbours has at least one candidate per
/// query and level. If something does not fit, the error names the limit; the same call on the [`Snapshot`], with the
/// queries on the host, works in pieces.
///
/// Results count against the dictionary's byte budget until they are dropped.
#[derive(Debug, Clone, Copy)]
pub struct OnDevice<'s, K: Key, V: Value> {
    pub(crate) snapshot: &'s Snapshot<K, V>,
}

impl<K: Key, V: Value> OnDevice<'_, K, V> {
    /// Looks up keys. Does not wait for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u32, 4, 9])?;
    /// let answers = squares.on_device().lookup(&[2, 5])?;
    /// assert_eq!(answers.found.read()?, [1, 0]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a buffer is on another device, or memory runs out.
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

    /// Counts the entries in each interval from `lower[i]` to `upper[i]`, both inclusive.
    ///
    /// Waits once, for the number of candidates. If there are many, it tallies the levels that have no tally yet, and
    /// waits once for each. Does not wait at all if every level is tallied or there is only one.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let primes = Dictionary::build(&Device::host(), Config::new(), &[2u32, 3, 5, 7, 11], &[(); 5])?;
    /// assert_eq!(primes.on_device().count(&[0, 3], &[10, 7])?.read()?, [4, 3]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bounds differ in number, a buffer is on another device, or memory runs out.
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

    /// Finds the entries in each interval from `lower[i]` to `upper[i]`, both inclusive, in ascending order.
    ///
    /// Waits for the number of candidates, and once for each level that it tallies, as [`count`](Self::count) does.
    /// Then waits for the number of entries, unless all levels with candidates are known to hide nothing.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u32, 4, 9])?;
    /// let found = squares.on_device().range(&[2], &[9])?;
    /// assert_eq!(found.keys.read()?, [2, 3]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
    pub fn range<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
    ) -> Result<DeviceRanges<K, V>> {
        self.ranges(&lower.into(), &upper.into(), Start::At, None)
    }

    /// Like [`range`](Self::range), but finds at most the first `limit` entries of each query.
    ///
    /// Waits as `range` does, and always for the number of entries. If levels may hide entries, it also reads back how
    /// far each query got. If a query is short of its limit, the call tries again with more candidates; after a long
    /// stretch of hidden entries it answers all queries by way of the host.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let digits = Dictionary::build(&Device::host(), Config::new(), &[0u32, 1, 2, 3, 4], &[(); 5])?;
    /// let page = digits.on_device().range_first(&[1], &[9], 2)?;
    /// assert_eq!(page.keys.read()?, [1, 2]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
    pub fn range_first<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
        limit: u32,
    ) -> Result<DeviceRanges<K, V>> {
        self.ranges(&lower.into(), &upper.into(), Start::At, Some(limit))
    }

    /// Like [`range_first`](Self::range_first), but each interval starts *after* its key in `after`. Waits as
    /// `range_first` does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let digits = Dictionary::build(&Device::host(), Config::new(), &[0u32, 1, 2, 3, 4], &[(); 5])?;
    /// let page = digits.on_device().range_after(&[1], &[9], 2)?;
    /// assert_eq!(page.keys.read()?, [2, 3]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
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
            DeviceRanges::new(backend, found)
        })
    }

    /// Finds the first entry at or after each key.
    ///
    /// Waits twice: for the number of candidates, and for the number of queries that a stretch of tombstones leaves
    /// open. Open queries are asked again, with two more waits each time. To pass a long stretch it counts instead: it
    /// makes tallies, waits once for each bit of a key, and copies all answers to the host and back.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
    /// let next = tens.on_device().successor(&[11, 31])?;
    /// assert_eq!(next.found.read()?, [1, 0]);
    /// assert_eq!(next.keys.read()?, [20, 0]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a buffer is on another device, or memory runs out.
    pub fn successor<'a>(&self, keys: impl Into<Keys<'a, K>>) -> Result<DeviceNeighbours<K, V>> {
        self.neighbours(&keys.into(), Way::Up)
    }

    /// Finds the last entry at or before each key. Waits as [`successor`](Self::successor) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
    /// assert_eq!(tens.on_device().predecessor(&[11, 31])?.keys.read()?, [10, 30]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`successor`](Self::successor).
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
