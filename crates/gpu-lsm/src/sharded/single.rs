//! Calls for one key or one interval of keys, and for all entries.

use super::scan::{ShardedIter, ShardedScan};
use super::sharded::Sharded;
use super::snapshot::ShardedSnapshot;
use crate::column::Keys;
use crate::error::Result;
use crate::key::Key;
use crate::morton::Morton;
use crate::range::Ranges;
use crate::single::ends;
use gpu_lsm_primitives::Value;
use std::ops::RangeBounds;

impl<K: Key, V: Value> ShardedSnapshot<K, V> {
    /// The value of one key. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let squares = Sharded::build(&[Device::host()], Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// assert_eq!((squares.get(2)?, squares.get(5)?), (Some(4), None));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`lookup`](Self::lookup).
    pub fn get(&self, key: K) -> Result<Option<V>> {
        Ok(self.lookup(&[key])?.get(0))
    }

    /// Whether one key is present. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let primes = Sharded::build_set(&[Device::host()], Config::new(), [2u32, 3, 5, 7])?;
    /// assert!(primes.contains(5)?);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`lookup`](Self::lookup).
    pub fn contains(&self, key: K) -> Result<bool> {
        Ok(self.get(key)?.is_some())
    }

    /// Counts the entries in one interval. Waits for the devices.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let primes = Sharded::build_set(&[Device::host()], Config::new(), [2u32, 3, 5, 7])?;
    /// assert_eq!(primes.count_in(3..7)?, 2);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
    pub fn count_in(&self, interval: impl RangeBounds<K>) -> Result<u64> {
        match ends(&interval) {
            Some((first, last)) => Ok(self.count(&[first], &[last])?[0]),
            None => Ok(0),
        }
    }

    /// The keys and the values of the entries in one interval, in ascending order of keys. Waits for the devices.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let squares = Sharded::build(&[Device::host()], Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// assert_eq!(squares.range_in(2..)?, (vec![2, 3], vec![4, 9]));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
    pub fn range_in(&self, interval: impl RangeBounds<K>) -> Result<(Vec<K>, Vec<V>)> {
        let Some((first, last)) = ends(&interval) else { return Ok((Vec::new(), Vec::new())) };
        let (_, keys, values) = self.range(&[first], &[last])?.into_parts();
        Ok((keys, values))
    }

    /// The entry with the smallest key. Waits for one device after the other, until one has an entry.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let tens = Sharded::build(&[Device::host()], Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
    /// assert_eq!(tens.first()?, Some((10, 1)));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`successor`](Self::successor).
    pub fn first(&self) -> Result<Option<(K, V)>> {
        Ok(self.successor(&[K::MIN])?.get(0))
    }

    /// The entry with the largest key. Waits as [`first`](Self::first) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let tens = Sharded::build(&[Device::host()], Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
    /// assert_eq!(tens.last()?, Some((30, 3)));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`successor`](Self::successor).
    pub fn last(&self) -> Result<Option<(K, V)>> {
        Ok(self.predecessor(&[K::MAX])?.get(0))
    }

    /// The number of live entries. Waits for the devices, as [`Snapshot::len`](crate::Snapshot::len) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let primes = Sharded::build_set(&[Device::host()], Config::new(), [2u32, 3, 5, 7])?;
    /// assert_eq!(primes.len()?, 4);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If memory runs out or a device is lost.
    pub fn len(&self) -> Result<u64> {
        Ok(self.on_shards(self.all(), |state, ()| state.len())?.iter().sum())
    }

    /// Whether there are no live entries. Waits as [`first`](Self::first) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// assert!(Sharded::<u32, ()>::new(&[Device::host()], Config::new())?.is_empty()?);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`successor`](Self::successor).
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.first()?.is_none())
    }

    /// Walks through all entries in ascending order of keys, `chunk` entries at a time. Waits for a device at each
    /// chunk.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let squares = Sharded::build(&[Device::host()], Config::new(), &[3u32, 1, 2], &[9u32, 1, 4])?;
    /// let chunks = squares.scan(2).collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(chunks, [(vec![1, 2], vec![1, 4]), (vec![3], vec![9])]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn scan(&self, chunk: u32) -> ShardedScan<K, V> {
        ShardedScan::new(self.clone(), chunk)
    }

    /// All entries one by one, in ascending order of keys. Waits for a device now and then, as [`scan`](Self::scan) does
    /// with large chunks.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// let squares = Sharded::build(&[Device::host()], Config::new(), [3u32, 1, 2], [9u32, 1, 4])?;
    /// assert_eq!(squares.iter().next().transpose()?, Some((1, 1)));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn iter(&self) -> ShardedIter<K, V> {
        ShardedIter::new(self.clone())
    }

    /// Checks every rule that the shards must keep: those of their runs, and that each key is in its own shard. Copies
    /// everything to the host and waits for the devices.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded};
    /// Sharded::build_set(&[Device::host()], Config::new(), [2u32, 3, 5, 7])?.verify()?;
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt) with the first broken rule.
    pub fn verify(&self) -> Result<()> {
        let shards = self.shards.iter().enumerate().map(|(i, shard)| (i, (shard.first, self.last_code(i))));
        self.on_shards(shards.collect(), |state, (first, last)| {
            state.verify()?;
            for run in state.runs()? {
                if run.first.to_code() < first || run.last.to_code() > last {
                    let what =
                        format!("it has keys outside its shard, from {:?} to {:?}", run.first, run.last);
                    return Err(crate::Error::Corrupt { level: run.level, what });
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// All shards, for work that needs no further input.
    pub(super) fn all(&self) -> Vec<(usize, ())> {
        (0..self.shards.len()).map(|shard| (shard, ())).collect()
    }
}

impl<K: Key, V: Value> IntoIterator for &ShardedSnapshot<K, V> {
    type Item = Result<(K, V)>;
    type IntoIter = ShardedIter<K, V>;

    fn into_iter(self) -> ShardedIter<K, V> {
        self.iter()
    }
}

impl<K: Key, V: Value> IntoIterator for &Sharded<K, V> {
    type Item = Result<(K, V)>;
    type IntoIter = ShardedIter<K, V>;

    fn into_iter(self) -> ShardedIter<K, V> {
        self.iter()
    }
}

impl<V: Value> ShardedSnapshot<Morton, V> {
    /// Finds the points in rectangles, as [`Snapshot::rectangles`](crate::Snapshot::rectangles) does. Waits for the
    /// devices.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Morton, Sharded};
    /// let points = [(1, 1), (2, 9), (3, 3)].map(|(x, y)| Morton { x, y });
    /// let ids = Sharded::build(&[Device::host()], Config::new(), &points, &[10u32, 11, 12])?;
    /// let found = ids.rectangles(&[Morton { x: 2, y: 2 }], &[Morton { x: 9, y: 9 }])?;
    /// assert_eq!(found.values(), [12, 11]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
    pub fn rectangles<'a, 'b>(
        &self,
        lower: impl Into<Keys<'a, Morton>>,
        upper: impl Into<Keys<'b, Morton>>,
    ) -> Result<Ranges<Morton, V>> {
        // A rectangle's points are between its corners in the order of keys too.
        self.found(lower.into(), upper.into(), |state, lower, upper| state.rectangles(lower, upper))
    }
}
