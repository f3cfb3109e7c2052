//! Calls for one key or one interval of keys, given as a Rust range.

use crate::dictionary::Dictionary;
use crate::error::Result;
use crate::key::Key;
use crate::scan::Iter;
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::{Code, Value};
use std::ops::{Bound, RangeBounds};

/// A call costs about as much for one key as for thousands: if you have several, ask for all of them at once.
impl<K: Key, V: Value> Snapshot<K, V> {
    /// The value of one key. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// assert_eq!(squares.get(2)?, Some(4));
    /// assert_eq!(squares.get(5)?, None);
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
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let primes = Dictionary::build_set(&Device::host(), Config::new(), [2u32, 3, 5, 7])?;
    /// assert!(primes.contains(5)?);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`lookup`](Self::lookup).
    pub fn contains(&self, key: K) -> Result<bool> {
        Ok(self.get(key)?.is_some())
    }

    /// Counts the entries in one interval. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let primes = Dictionary::build_set(&Device::host(), Config::new(), [2u32, 3, 5, 7])?;
    /// assert_eq!(primes.count_in(3..7)?, 2);
    /// assert_eq!(primes.count_in(..=7)?, 4);
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

    /// The keys and the values of the entries in one interval, in ascending order of keys. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// assert_eq!(squares.range_in(2..)?, (vec![2, 3], vec![4, 9]));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// To walk through very many entries, use [`scan`](Self::scan).
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
    pub fn range_in(&self, interval: impl RangeBounds<K>) -> Result<(Vec<K>, Vec<V>)> {
        let Some((first, last)) = ends(&interval) else { return Ok((Vec::new(), Vec::new())) };
        let (_, keys, values) = self.range(&[first], &[last])?.into_parts();
        Ok((keys, values))
    }

    /// All entries one by one, in ascending order of keys. Waits for the device now and then, as
    /// [`scan`](Self::scan) does with large chunks.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [3u32, 1, 2], [9u32, 1, 4])?;
    /// for entry in squares.iter() {
    ///     let (key, value) = entry?;
    ///     assert_eq!(value, key * key);
    /// }
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn iter(&self) -> Iter<K, V> {
        Iter::new(self.clone())
    }
}

impl<K: Key, V: Value> IntoIterator for &Snapshot<K, V> {
    type Item = Result<(K, V)>;
    type IntoIter = Iter<K, V>;

    fn into_iter(self) -> Iter<K, V> {
        self.iter()
    }
}

impl<K: Key, V: Value> IntoIterator for &Dictionary<K, V> {
    type Item = Result<(K, V)>;
    type IntoIter = Iter<K, V>;

    fn into_iter(self) -> Iter<K, V> {
        self.iter()
    }
}

impl<K: Key, V: Value> Dictionary<K, V> {
    /// Deletes all entries in one interval. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let mut events = Dictionary::build_set(&Device::host(), Config::new(), [10u64, 20, 30, 40])?;
    /// events.delete_in(..30)?;
    /// assert_eq!(events.range_in(..)?.0, [30, 40]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`delete_range`](Self::delete_range).
    pub fn delete_in(&mut self, interval: impl RangeBounds<K>) -> Result<()> {
        match ends(&interval) {
            Some((first, last)) => self.delete_range(&[first], &[last]),
            None => Ok(()),
        }
    }
}

/// The smallest and the largest key in an interval; `None` if it has no keys.
pub(crate) fn ends<K: Key>(interval: &impl RangeBounds<K>) -> Option<(K, K)> {
    let first = match interval.start_bound() {
        Bound::Included(key) => key.to_code(),
        Bound::Excluded(key) => K::Code::truncated(below_last(key.to_code())?.to_u64() + 1),
        Bound::Unbounded => K::Code::MIN,
    };
    let last = match interval.end_bound() {
        Bound::Included(key) => key.to_code(),
        Bound::Excluded(key) => K::Code::truncated(key.to_code().to_u64().checked_sub(1)?),
        Bound::Unbounded => K::Code::MAX,
    };
    (first <= last).then(|| (K::from_code(first), K::from_code(last)))
}

/// The code, unless it is the largest one.
fn below_last<C: Code>(code: C) -> Option<C> {
    (code < C::MAX).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::ends;
    use std::ops::Bound::{Excluded, Included, Unbounded};

    #[test]
    fn an_interval_has_its_smallest_and_its_largest_key() {
        assert_eq!(ends::<u32>(&(3..7)), Some((3, 6)));
        assert_eq!(ends::<u32>(&(3..=7)), Some((3, 7)));
        assert_eq!(ends::<i64>(&(-3..)), Some((-3, i64::MAX)));
        assert_eq!(ends::<u64>(&(..=u64::MAX)), Some((0, u64::MAX)));
        assert_eq!(ends::<u64>(&..), Some((0, u64::MAX)));
        assert_eq!(ends::<u32>(&(Excluded(3), Included(9))), Some((4, 9)));
        assert_eq!(ends::<f32>(&(0.0..1.0)), Some((0.0, 1.0f32.next_down())));
    }

    #[test]
    fn an_interval_without_keys_has_no_ends() {
        assert_eq!(ends::<u32>(&(7..7)), None);
        assert_eq!(ends::<u32>(&(..0)), None);
        assert_eq!(ends::<u64>(&(Excluded(u64::MAX), Unbounded)), None);
        assert_eq!(ends::<u32>(&(Excluded(u32::MAX), Unbounded)), None);
        #[expect(clippy::reversed_empty_ranges, reason = "that is what is tested")]
        let backwards = 9..=3u32;
        assert_eq!(ends::<u32>(&backwards), None);
    }
}
