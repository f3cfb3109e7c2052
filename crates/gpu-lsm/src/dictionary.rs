//! The dictionary: what users call to change it.

use crate::backed::{OpenDevice, Residence, on_backend};
use crate::batch::Batch;
use crate::column::{Keys, Values};
use crate::config::{Config, Footprint};
use crate::core::Core;
use crate::device::Device;
use crate::error::Result;
use crate::key::Key;
use crate::snapshot::{Cores, Snapshot};
use gpu_lsm_primitives::{Meter, Value};
use std::ops::Deref;

/// An ordered dictionary from keys to values, on the host or on a GPU.
///
/// Keys are numbers, pairs or points ([`Key`]), and every one can be stored. Values are any plain type of 0, 4, 8 or 16
/// bytes ([`Value`]); `()` makes a set. Updates and queries come in batches of any size: slices, arrays or vectors, which
/// are copied to the device, or [buffers](crate::Buffer) that are there already.
///
/// ```
/// use gpu_lsm::{Device, Dictionary};
///
/// let mut ages = Dictionary::<u64, u32>::new(&Device::host())?;
/// ages.insert(&[10, 20, 30], &[1, 2, 3])?;
/// ages.update(&[20, 40], &[22, 44], &[10])?;
/// assert_eq!(ages.lookup(&[10, 20, 30, 40])?.to_vec(), [None, Some(22), Some(3), Some(44)]);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
///
/// # Errors
///
/// A method that fails leaves the dictionary as it was. When the GPU is lost, its memory is gone: that call and every
/// later one return [`BackendError::DeviceLost`](crate::BackendError::DeviceLost).
#[derive(Debug)]
pub struct Dictionary<K: Key, V: Value> {
    pub(crate) current: Snapshot<K, V>,
}

/// All queries are those of the snapshot that the dictionary is at the moment.
impl<K: Key, V: Value> Deref for Dictionary<K, V> {
    type Target = Snapshot<K, V>;
    fn deref(&self) -> &Snapshot<K, V> {
        &self.current
    }
}

impl<K: Key, V: Value> Dictionary<K, V> {
    /// Makes an empty dictionary with the default options. Does not wait for the device.
    ///
    /// # Errors
    /// Where the device does not support the keys.
    pub fn new(device: &Device) -> Result<Self> {
        Self::with_config(device, Config::new())
    }

    /// Makes an empty dictionary. Does not wait for the device.
    ///
    /// # Errors
    /// Where the options are out of range, or the device does not support the keys.
    pub fn with_config(device: &Device, config: Config) -> Result<Self> {
        config.check()?;
        let meter = Meter::new(config.get_byte_budget());
        let inner = on_backend!(&device.opened, device => {
            Residence::backed::<Cores<K::Code, V>>(Core::new(device.backend(meter), config)?)
        });
        Ok(Self { current: Snapshot { inner } })
    }

    /// Makes a dictionary of the given entries; of equal keys, the last counts. Waits as [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u64, 4, 9])?;
    /// assert_eq!(squares.lookup(&[3])?.get(0), Some(9));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs one sort of all entries.
    ///
    /// # Errors
    /// Where the columns differ in length, or the device has no room.
    pub fn build<'a>(
        device: &Device,
        config: Config,
        keys: impl Into<Keys<'a, K>>,
        values: impl Into<Values<'a, V>>,
    ) -> Result<Self> {
        let mut dictionary = Self::with_config(device, config)?;
        dictionary.insert(keys, values)?;
        Ok(dictionary)
    }

    /// Inserts entries, and replaces the values of keys that are there; of equal keys, the last counts. Waits for the
    /// device once, at its end; once more where something was overwritten, and what is left is written to new arrays; and
    /// as often again where levels are cleaned up, to keep the space within its bound. Where runs to merge have more
    /// entries together than one array can, what is overwritten is left out first, and waited for too.
    ///
    /// Costs a sort of the batch and, on average, a merge of each entry once per doubling of the dictionary.
    ///
    /// # Errors
    /// Where the columns differ in length, a buffer is on another device, or the device has no room.
    pub fn insert<'a>(
        &mut self,
        keys: impl Into<Keys<'a, K>>,
        values: impl Into<Values<'a, V>>,
    ) -> Result<()> {
        self.update(keys, values, &[])
    }

    /// Deletes keys; those that are not there change nothing. Waits as [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Device, Dictionary};
    /// let mut set = Dictionary::<u32, ()>::new(&Device::host())?;
    /// set.insert(&[1, 2, 3], &[(), (), ()])?;
    /// set.delete(&[2, 9])?;
    /// assert_eq!(set.lookup(&[1, 2, 3])?.found(), [1, 0, 1]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs as much as an insert.
    ///
    /// # Errors
    /// Where a buffer is on another device, or the device has no room.
    pub fn delete<'a>(&mut self, keys: impl Into<Keys<'a, K>>) -> Result<()> {
        let ready = self.current.prepare_delete(keys.into())?;
        self.current.commit(ready);
        Ok(())
    }

    /// Inserts entries and deletes keys as one batch; a key in both is deleted. Waits as [`insert`](Self::insert) does.
    ///
    /// # Errors
    /// Where the inserts' columns differ in length, a buffer is on another device, or the device has no room.
    pub fn update<'a, 'd>(
        &mut self,
        keys: impl Into<Keys<'a, K>>,
        values: impl Into<Values<'a, V>>,
        deletes: impl Into<Keys<'d, K>>,
    ) -> Result<()> {
        let ready = self.current.prepare_update(keys.into(), &values.into(), deletes.into())?;
        self.current.commit(ready);
        Ok(())
    }

    /// Applies a batch of mixed operations in their order: of several on one key, the last wins. Waits as
    /// [`insert`](Self::insert) does.
    ///
    /// So `apply(A)` and then `apply(B)` leaves what one `apply` of `A` followed by `B` leaves.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn apply(&mut self, batch: &Batch<K, V>) -> Result<()> {
        let ready = self.current.prepare_batch(batch)?;
        self.current.commit(ready);
        Ok(())
    }

    /// Deletes all entries from each of the `lower` keys to the `upper` key beside it, both inclusive, as one batch.
    /// Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let mut events = Dictionary::build(&Device::host(), Config::new(), &[10u64, 20, 30, 40], &[1u32; 4])?;
    /// events.delete_range(&[0, 35], &[20, 99])?;
    /// assert_eq!(events.range(&[0], &[u64::MAX])?.keys(), [30]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs a [`range`](Snapshot::range) without values, and a [`delete`](Self::delete) of the keys that are there. Waits
    /// as a range does, for the number of the keys, and as [`insert`](Self::insert) does; the keys stay on the device.
    ///
    /// # Errors
    /// As [`count`](Snapshot::count) and [`delete`](Self::delete).
    pub fn delete_range<'a, 'b>(
        &mut self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
    ) -> Result<()> {
        let ready = self.current.prepare_delete_range(lower.into(), upper.into())?;
        self.current.commit(ready);
        Ok(())
    }

    /// Deletes all entries. Does not wait, and needs no memory.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let mut squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u64, 4, 9])?;
    /// squares.clear()?;
    /// assert!(squares.is_empty()?);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the device is lost.
    pub fn clear(&mut self) -> Result<()> {
        let ready = self.current.prepare_clear()?;
        self.current.commit(ready);
        Ok(())
    }

    /// Sets the most bytes that the dictionary's arrays may occupy from now on: see [`Config::byte_budget`]. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let config = Config::new().batch_size(64).byte_budget(10_000);
    /// let mut dictionary = Dictionary::<u32, u32>::with_config(&Device::host(), config)?;
    /// let keys: Vec<u32> = (0..1000).collect();
    /// assert!(dictionary.insert(&keys, &keys).is_err());
    /// dictionary.set_byte_budget(Some(1 << 20))?;
    /// dictionary.insert(&keys, &keys)?;
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BackendError::OverBudget`](crate::BackendError::OverBudget) if what the dictionary holds could not be deleted
    /// within it.
    pub fn set_byte_budget(&mut self, bytes: Option<u64>) -> Result<()> {
        on_backend!(&mut self.current.inner, core => core.set_byte_budget(bytes))
    }

    /// What the dictionary holds now, to be read while it is updated. Copies nothing and does not wait.
    pub fn snapshot(&self) -> Snapshot<K, V> {
        self.current.clone()
    }

    /// Merges all levels into one run without tombstones, after which queries are fastest. Waits as
    /// [`insert`](Self::insert) does.
    ///
    /// Costs a merge of all entries. Never needed to bound the space, which updates see to.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn cleanup(&mut self) -> Result<()> {
        let ready = self.current.prepare_cleanup()?;
        self.current.commit(ready);
        Ok(())
    }

    /// The bytes that a dictionary of `n` live entries needs that takes batches of up to `batch` operations, before it is
    /// made: what to expect where keys are distinct, and the most that there can be.
    ///
    /// ```
    /// use gpu_lsm::{Config, Dictionary};
    /// let needed = Dictionary::<u32, u32>::bytes_for(1_000_000, 100_000, &Config::new());
    /// assert_eq!(needed.payload, 8_000_000);
    /// assert!(needed.expected.resident < needed.expected.peak);
    /// assert!(needed.expected.peak < needed.most.peak);
    /// ```
    pub fn bytes_for(n: u64, batch: u64, config: &Config) -> Footprint {
        Footprint::of::<K::Code, V>(n, batch, config)
    }
}
