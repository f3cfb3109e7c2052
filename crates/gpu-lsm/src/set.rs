//! Sets: dictionaries whose values are `()`.

use crate::batch::Batch;
use crate::column::{Keys, Values};
use crate::config::Config;
use crate::device::Device;
use crate::dictionary::Dictionary;
use crate::error::Result;
use crate::key::Key;

/// A set: a dictionary whose values take no space.
impl<K: Key> Dictionary<K, ()> {
    /// Makes a set of the given keys. Waits as [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let primes = Dictionary::build_set(&Device::host(), Config::new(), [2u32, 3, 5, 7])?;
    /// assert!(primes.contains(3)? && !primes.contains(4)?);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`build`](Self::build).
    pub fn build_set<'a>(device: &Device, config: Config, keys: impl Into<Keys<'a, K>>) -> Result<Self> {
        let mut set = Self::with_config(device, config)?;
        set.insert_keys(keys)?;
        Ok(set)
    }

    /// Adds keys to a set. Waits as [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Device, Dictionary};
    /// let mut seen = Dictionary::<u64, ()>::new(&Device::host())?;
    /// seen.insert_keys([5, 3, 5])?;
    /// assert_eq!(seen.len()?, 2);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`insert`](Self::insert).
    pub fn insert_keys<'a>(&mut self, keys: impl Into<Keys<'a, K>>) -> Result<()> {
        let keys = keys.into();
        let values = Values::from(vec![(); keys.len()]);
        self.insert(keys, values)
    }
}

/// A batch for a set.
impl<K: Key> Batch<K, ()> {
    /// Adds an insert of a key.
    ///
    /// ```
    /// let mut batch = gpu_lsm::Batch::new();
    /// batch.insert_key(7u32);
    /// assert_eq!(batch.len(), 1);
    /// ```
    pub fn insert_key(&mut self, key: K) {
        self.insert(key, ());
    }
}
