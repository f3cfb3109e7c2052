//! The queries of a snapshot, with their results in the host's memory.

use crate::backed::on_backend;
use crate::column::{Keys, check_bounds};
use crate::error::Result;
use crate::intervals::Slices;
use crate::key::{Key, zero_code};
use crate::lists::wide;
use crate::lookup::Answers;
use crate::neighbour::Neighbours;
use crate::on_device::OnDevice;
use crate::range::Ranges;
use crate::scan::Scan;
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::{Start, Value, Way};

impl<K: Key, V: Value> Snapshot<K, V> {
    /// The same queries, with their results left on the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u32, 4, 9])?;
    /// let answers = squares.on_device().lookup(&[2, 5])?;
    /// assert_eq!(answers.values.read()?, [4, 0]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn on_device(&self) -> OnDevice<'_, K, V> {
        OnDevice { snapshot: self }
    }

    /// Looks up keys. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u32, 4, 9])?;
    /// assert_eq!(squares.lookup(&[2, 5])?.to_vec(), [Some(4), None]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs a binary search in each occupied level until the key is found.
    ///
    /// # Errors
    /// If a buffer is on another device, or memory runs out.
    pub fn lookup<'a>(&self, keys: impl Into<Keys<'a, K>>) -> Result<Answers<V>> {
        match keys.into() {
            Keys::Host(keys) => {
                let codes = K::codes(self.meter(), &keys)?;
                on_backend!(&self.inner, core => core.lookup_slice(&codes))
            }
            keys @ Keys::Device(_) => self.on_device().lookup(keys)?.read(),
        }
    }

    /// Counts the entries in each interval from `lower[i]` to `upper[i]`, both inclusive. An interval is empty if its
    /// lower bound is above its upper bound. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let primes = Dictionary::build(&Device::host(), Config::new(), &[2u32, 3, 5, 7, 11], &[(); 5])?;
    /// assert_eq!(primes.count(&[0, 3, 8, 9], &[10, 7, 10, 1])?, [4, 3, 0, 0]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs two searches per query and level. If the intervals have few entries in the levels, these are merged. If
    /// they have many, each newer level is tallied first, once: its keys are looked up in the older levels.
    ///
    /// # Errors
    /// If the bounds differ in number, a buffer is on another device, memory runs out, or a single query has more
    /// candidates than one array of the device can hold. If the queries are in buffers, that limit holds for the
    /// candidates of all of them together.
    pub fn count<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
    ) -> Result<Vec<u64>> {
        let (lower, upper) = (lower.into(), upper.into());
        check_bounds(&lower, &upper)?;
        if let (Keys::Host(lower), Keys::Host(upper)) = (&lower, &upper) {
            let (lower, upper) = (&*K::codes(self.meter(), lower)?, &*K::codes(self.meter(), upper)?);
            let intervals = Slices { lower, upper, start: Start::At };
            return on_backend!(&self.inner, core => core.count_slices(intervals));
        }
        wide(self.meter(), self.on_device().count(lower, upper)?.read()?)
    }

    /// Finds the entries in each interval from `lower[i]` to `upper[i]`, both inclusive, in ascending order. An
    /// interval is empty if its lower bound is above its upper bound. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3, 4], &[1u32, 4, 9, 16])?;
    /// let found = squares.range(&[2, 9], &[3, 9])?;
    /// assert_eq!(found.get(0), (&[2, 3][..], &[4, 9][..]));
    /// assert_eq!(found.offsets(), [0, 2, 2]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs two searches per query and level, and a merge of the entries that the levels have in the intervals.
    /// Tallies levels as [`count`](Self::count) does.
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
    pub fn range<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
    ) -> Result<Ranges<K, V>> {
        self.ranges(&lower.into(), &upper.into(), Start::At, None)
    }

    /// Like [`range`](Self::range), but finds at most the first `limit` entries of each query. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let digits = Dictionary::build(&Device::host(), Config::new(), &[0u32, 1, 2, 3, 4], &[(); 5])?;
    /// assert_eq!(digits.range_first(&[1, 4], &[9, 9], 2)?.keys(), [1, 2, 4]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs a few searches per query and level, and a merge of about `limit` entries of each level. Deleted and
    /// replaced entries in between cost more. To walk through very many entries, use [`scan`](Self::scan), which does
    /// less work.
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
    pub fn range_first<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
        limit: u32,
    ) -> Result<Ranges<K, V>> {
        self.ranges(&lower.into(), &upper.into(), Start::At, Some(limit))
    }

    /// Like [`range_first`](Self::range_first), but each interval starts *after* its key in `after`. Given the last key
    /// of a page, it finds the next page. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let digits = Dictionary::build(&Device::host(), Config::new(), &[0u32, 1, 2, 3, 4], &[(); 5])?;
    /// let page = digits.range_first(&[0], &[9], 2)?;
    /// assert_eq!(page.keys(), [0, 1]);
    /// let page = digits.range_after(&[1], &[9], 2)?;
    /// assert_eq!(page.keys(), [2, 3]);
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
    ) -> Result<Ranges<K, V>> {
        self.ranges(&after.into(), &upper.into(), Start::After, Some(limit))
    }

    fn ranges(
        &self,
        lower: &Keys<'_, K>,
        upper: &Keys<'_, K>,
        start: Start,
        limit: Option<u32>,
    ) -> Result<Ranges<K, V>> {
        check_bounds(lower, upper)?;
        if let (Keys::Host(lower), Keys::Host(upper)) = (lower, upper) {
            let (lower, upper) = (&*K::codes(self.meter(), lower)?, &*K::codes(self.meter(), upper)?);
            let intervals = Slices { lower, upper, start };
            let found = on_backend!(&self.inner, core => match limit {
                Some(limit) => core.range_first_slices(intervals, limit),
                None => core.range_slices(intervals),
            })?;
            return found.with_keys(self.meter());
        }
        self.on_device().ranges(lower, upper, start, limit)?.read()
    }

    /// Finds the first entry at or after each key. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
    /// let next = tens.successor(&[0, 20, 21, 31])?;
    /// assert_eq!(next.get(0), Some((10, 1)));
    /// assert_eq!(next.get(1), Some((20, 2)));
    /// assert_eq!(next.get(3), None);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs a binary search and a merge of a few entries per query and level. To pass a long stretch of tombstones, it
    /// tallies the levels once, as [`count`](Self::count) does, and finds the key by counting, with two searches per
    /// level for each bit of the key. If the call has only a few queries, the dictionary remembers such a stretch until
    /// something is inserted there.
    ///
    /// # Errors
    /// If a buffer is on another device, or memory runs out.
    pub fn successor<'a>(&self, keys: impl Into<Keys<'a, K>>) -> Result<Neighbours<K, V>> {
        self.neighbours(&keys.into(), Way::Up)
    }

    /// Finds the last entry at or before each key. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
    /// let previous = tens.predecessor(&[5, 29])?;
    /// assert_eq!(previous.get(0), None);
    /// assert_eq!(previous.get(1), Some((20, 2)));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs as much as [`successor`](Self::successor).
    ///
    /// # Errors
    /// Those of [`successor`](Self::successor).
    pub fn predecessor<'a>(&self, keys: impl Into<Keys<'a, K>>) -> Result<Neighbours<K, V>> {
        self.neighbours(&keys.into(), Way::Down)
    }

    fn neighbours(&self, keys: &Keys<'_, K>, way: Way) -> Result<Neighbours<K, V>> {
        match keys {
            Keys::Host(keys) => {
                let codes = K::codes(self.meter(), keys)?;
                let found =
                    on_backend!(&self.inner, core => core.neighbours_slice(&codes, way, zero_code::<K>()))?;
                found.with_keys(self.meter())
            }
            Keys::Device(_) => self.on_device().neighbours(keys, way)?.read(),
        }
    }

    /// The entry with the smallest key. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
    /// assert_eq!(tens.first()?, Some((10, 1)));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If memory runs out.
    pub fn first(&self) -> Result<Option<(K, V)>> {
        Ok(self.successor(&[K::MIN])?.get(0))
    }

    /// The entry with the largest key. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
    /// assert_eq!(tens.last()?, Some((30, 3)));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If memory runs out.
    pub fn last(&self) -> Result<Option<(K, V)>> {
        Ok(self.predecessor(&[K::MAX])?.get(0))
    }

    /// Walks through all entries in ascending order of keys, `chunk` entries at a time, so that they need not all be in
    /// memory. Waits for the device at each chunk.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let dictionary = Dictionary::build(&Device::host(), Config::new(), &[3u32, 1, 2], &[30u32, 10, 20])?;
    /// let chunks = dictionary.scan(2).collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(chunks, [(vec![1, 2], vec![10, 20]), (vec![3], vec![30])]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn scan(&self, chunk: u32) -> Scan<K, V> {
        Scan::new(self.clone(), chunk)
    }

    /// Whether there are no live entries. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Device, Dictionary};
    /// let mut set = Dictionary::<u32, ()>::new(&Device::host())?;
    /// assert!(set.is_empty()?);
    /// set.insert(&[7], &[()])?;
    /// assert!(!set.is_empty()?);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`successor`](Self::successor).
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.first()?.is_none())
    }
}
