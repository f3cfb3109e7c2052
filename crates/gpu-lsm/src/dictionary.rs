//! The dictionary, with the methods that change it.

use crate::backed::{DeviceHandle, Residence, on_backend};
use crate::batch::Batch;
use crate::column::{Keys, Values};
use crate::config::{Config, Footprint};
use crate::core::Core;
use crate::device::Device;
use crate::error::Result;
use crate::key::Key;
use crate::prepare::Ready;
use crate::snapshot::{Cores, Snapshot};
use gpu_lsm_primitives::{Meter, Value};
use std::ops::Deref;

/// An ordered dictionary from keys to values, on the host or on a GPU.
///
/// Keys are numbers, pairs or points (see [`Key`]); every key of the type can be stored. Values are numbers, arrays of
/// numbers, or your own types of 4, 8 or 16 bytes (see [`Value`]); with `()` as its value type, a dictionary is a set. Updates and queries come in
/// batches of any size: as slices, arrays, vectors or boxes, which are copied to the device, or as
/// [buffers](crate::Buffer) that are already there; by reference or by value.
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
/// # Queries
///
/// A dictionary dereferences to the [`Snapshot`] of its current state, which has all queries:
///
/// | for many keys or intervals at a time | for one | |
/// |---|---|---|
/// | [`lookup`](Snapshot::lookup) | [`get`](Snapshot::get), [`contains`](Snapshot::contains) | the values of keys |
/// | [`count`](Snapshot::count) | [`count_in`](Snapshot::count_in), [`len`](Snapshot::len), [`is_empty`](Snapshot::is_empty) | the number of entries in intervals |
/// | [`range`](Snapshot::range), [`range_first`](Snapshot::range_first), [`range_after`](Snapshot::range_after) | [`range_in`](Snapshot::range_in) | the entries in intervals, all or page by page |
/// | [`successor`](Snapshot::successor), [`predecessor`](Snapshot::predecessor) | [`first`](Snapshot::first), [`last`](Snapshot::last) | the nearest entries |
/// | [`rectangles`](Snapshot::rectangles) | | points in rectangles |
/// | [`scan`](Snapshot::scan) | [`iter`](Snapshot::iter) | all entries in order |
///
/// [`on_device`](Snapshot::on_device) leaves the results on the device. [`statistics`](Snapshot::statistics),
/// [`config`](Snapshot::config), [`device`](Snapshot::device) and [`verify`](Snapshot::verify) tell of the dictionary
/// itself.
///
/// # Errors
///
/// If a method fails, the dictionary stays as it was. If the GPU is lost, its memory is gone: the failing call and
/// every later one return [`BackendError::DeviceLost`](crate::BackendError::DeviceLost).
#[derive(Debug)]
pub struct Dictionary<K: Key, V: Value> {
    pub(crate) current: Snapshot<K, V>,
}

/// A dictionary answers queries as the snapshot of its current state.
impl<K: Key, V: Value> Deref for Dictionary<K, V> {
    type Target = Snapshot<K, V>;
    fn deref(&self) -> &Snapshot<K, V> {
        &self.current
    }
}

impl<K: Key, V: Value> Dictionary<K, V> {
    /// Makes an empty dictionary with the default options. Does not wait for the device.
    ///
    /// ```
    /// use gpu_lsm::{Device, Dictionary};
    /// let dictionary = Dictionary::<u32, u32>::new(&Device::host())?;
    /// assert!(dictionary.is_empty()?);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the device does not support the key type.
    pub fn new(device: &Device) -> Result<Self> {
        Self::with_config(device, Config::new())
    }

    /// Makes an empty dictionary with the given options. Does not wait for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let config = Config::new().with_batch_size(1 << 20);
    /// let dictionary = Dictionary::<u32, u32>::with_config(&Device::host(), config)?;
    /// assert_eq!(dictionary.config().batch_size(), 1 << 20);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an option is out of range, or the device does not support the key type.
    pub fn with_config(device: &Device, config: Config) -> Result<Self> {
        config.check()?;
        let meter = Meter::new(config.byte_budget());
        let inner = on_backend!(&device.opened, device => {
            Residence::backed::<Cores<K::Code, V>>(Core::new(device.backend(meter), config)?)
        });
        Ok(Self { current: Snapshot { inner } })
    }

    /// Makes a dictionary of the given entries. If a key occurs several times, its last entry wins. Waits as
    /// [`insert`](Self::insert) does.
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
    /// If the columns differ in length, a buffer is on another device, or memory runs out.
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

    /// Inserts entries. A key that is already present gets the new value; if a key occurs several times in the batch,
    /// its last entry wins.
    ///
    /// Waits for the device once, at the end. If keys were overwritten there is a second wait; a cleanup, which keeps
    /// the space within its bound, adds its own. If the runs to be merged have more entries than one array can hold,
    /// their hidden entries are dropped first, which waits once more for each such merge. If the keys are in a buffer, and the
    /// dictionary remembers intervals without a live key (those of a [`delete_range`](Self::delete_range), for instance), it
    /// reads the smallest and the largest key, in a wait of its own.
    ///
    /// ```
    /// use gpu_lsm::{Device, Dictionary};
    /// let mut ages = Dictionary::<u32, u32>::new(&Device::host())?;
    /// ages.insert(&[1, 2], &[30, 40])?;
    /// ages.insert(&[2, 3], &[41, 50])?;
    /// assert_eq!(ages.lookup(&[1, 2, 3])?.to_vec(), [Some(30), Some(41), Some(50)]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs a sort of the batch. On average, each entry is merged once per doubling of the dictionary.
    ///
    /// # Errors
    /// If the columns differ in length, a buffer is on another device, or memory runs out.
    pub fn insert<'a>(
        &mut self,
        keys: impl Into<Keys<'a, K>>,
        values: impl Into<Values<'a, V>>,
    ) -> Result<()> {
        self.update(keys, values, &[])
    }

    /// Deletes keys. Keys that are not present change nothing. Waits as [`insert`](Self::insert) does.
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
    /// Costs as much as an insert. If the byte budget has no room for that, it walks through the runs a part at a time,
    /// for which keys in a buffer are read.
    ///
    /// # Errors
    /// If a buffer is on another device, or memory runs out.
    pub fn delete<'a>(&mut self, keys: impl Into<Keys<'a, K>>) -> Result<()> {
        self.commit(self.current.prepare_delete(&keys.into()))
    }

    /// Inserts entries and deletes keys as one batch. A key in both is deleted. Waits as [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Device, Dictionary};
    /// let mut dictionary = Dictionary::<u32, u32>::new(&Device::host())?;
    /// dictionary.insert(&[1, 2], &[10, 20])?;
    /// dictionary.update(&[3, 4], &[30, 40], &[1, 4])?;
    /// assert_eq!(dictionary.lookup(&[1, 2, 3, 4])?.to_vec(), [None, Some(20), Some(30), None]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the columns of the inserts differ in length, a buffer is on another device, or memory runs out.
    pub fn update<'a, 'd>(
        &mut self,
        keys: impl Into<Keys<'a, K>>,
        values: impl Into<Values<'a, V>>,
        deletes: impl Into<Keys<'d, K>>,
    ) -> Result<()> {
        self.commit(self.current.prepare_update(&keys.into(), &values.into(), &deletes.into()))
    }

    /// Applies a batch of mixed operations in their order: of several operations on one key, the last wins. Waits as
    /// [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Batch, Device, Dictionary};
    /// let mut batch = Batch::new();
    /// batch.insert(1u32, 10u32);
    /// batch.insert(2, 20);
    /// batch.delete(1);
    /// let mut dictionary = Dictionary::new(&Device::host())?;
    /// dictionary.apply(&batch)?;
    /// assert_eq!(dictionary.lookup(&[1, 2])?.to_vec(), [None, Some(20)]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Applying `A` and then `B` has the same result as applying one batch of `A` followed by `B`.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn apply(&mut self, batch: &Batch<K, V>) -> Result<()> {
        self.commit(self.current.prepare_batch(batch))
    }

    /// Applies mixed operations, given as columns, in their order: of several operations on one key, the last wins. If
    /// `deletes[i]` is zero, operation `i` inserts `keys[i]` with `values[i]`; otherwise it deletes `keys[i]`, and the value
    /// is ignored. Waits as [`insert`](Self::insert) does, and copies no column if all are in buffers.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let device = Device::host();
    /// let mut seen = Dictionary::build(&device, Config::new(), [1u32, 2], [10u32, 20])?;
    /// seen.apply_columns([2, 3, 3], [0, 30, 31], [1, 0, 0])?;
    /// assert_eq!(seen.lookup([1, 2, 3])?.to_vec(), [Some(10), None, Some(31)]);
    ///
    /// // What is present goes, and what is missing comes.
    /// let keys = device.upload(&[1u32, 2])?;
    /// let present = seen.on_device().lookup(&keys)?.found;
    /// seen.apply_columns(&keys, [11, 21], present)?;
    /// assert_eq!(seen.lookup([1, 2, 3])?.to_vec(), [None, Some(21), Some(31)]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Has the same result as [`apply`](Self::apply). If the flags are on the host and all are set, it is a
    /// [`delete`](Self::delete), for which the byte budget always has room. Flags in a buffer are not read.
    ///
    /// # Errors
    /// If the columns differ in length, a buffer is on another device, or memory runs out.
    pub fn apply_columns<'a, 'd>(
        &mut self,
        keys: impl Into<Keys<'a, K>>,
        values: impl Into<Values<'a, V>>,
        deletes: impl Into<Values<'d, u32>>,
    ) -> Result<()> {
        self.commit(self.current.prepare_columns(&keys.into(), &values.into(), &deletes.into()))
    }

    /// Deletes all entries in each interval from `lower[i]` to `upper[i]`, both inclusive, as one batch. Waits for the
    /// device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let mut events = Dictionary::build(&Device::host(), Config::new(), &[10u64, 20, 30, 40], &[1u32; 4])?;
    /// events.delete_range(&[0, 35], &[20, 99])?;
    /// assert_eq!(events.range(&[0], &[u64::MAX])?.keys(), [30]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs a [`range`](Snapshot::range) without values and a [`delete`](Self::delete) of the keys that it finds.
    /// Waits as a range does, for the number of keys, and then as [`insert`](Self::insert) does. The keys stay on the
    /// device, unless the byte budget has no room for the usual way. Bounds in buffers are read then, too, or if the
    /// intervals have more than 256 entries each, on average.
    ///
    /// # Errors
    /// Those of [`count`](Snapshot::count) and [`delete`](Self::delete).
    pub fn delete_range<'a, 'b>(
        &mut self,
        lower: impl Into<Keys<'a, K>>,
        upper: impl Into<Keys<'b, K>>,
    ) -> Result<()> {
        self.commit(self.current.prepare_delete_range(&lower.into(), &upper.into()))
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
    /// If the device is lost.
    pub fn clear(&mut self) -> Result<()> {
        self.commit(self.current.prepare_clear())
    }

    /// Sets the byte budget from now on, or removes it: see [`Config::with_byte_budget`]. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let config = Config::new().with_batch_size(64).with_byte_budget(10_000);
    /// let mut dictionary = Dictionary::<u32, u32>::with_config(&Device::host(), config)?;
    /// let keys: Vec<u32> = (0..1000).collect();
    /// assert!(dictionary.insert(&keys, &keys).is_err());
    /// dictionary.set_byte_budget(Some(1 << 20))?;
    /// dictionary.insert(&keys, &keys)?;
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BackendError::OverBudget`](crate::BackendError::OverBudget) if the budget is too small for the dictionary to
    /// delete its entries within it. The old budget then stays.
    pub fn set_byte_budget(&mut self, bytes: Option<u64>) -> Result<()> {
        on_backend!(&mut self.current.inner, core => core.set_byte_budget(bytes))
    }

    /// Takes a snapshot, which can be read while the dictionary is updated. Copies nothing and does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let mut set = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[(); 3])?;
    /// let before = set.snapshot();
    /// set.clear()?;
    /// assert_eq!(before.len()?, 3);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot<K, V> {
        self.current.clone()
    }

    /// Merges all levels into one run without tombstones. Queries are fastest after that. Waits as
    /// [`insert`](Self::insert) does.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let config = Config::new().with_batch_size(2);
    /// let mut set = Dictionary::build(&Device::host(), config, &[1u32, 2, 3, 4], &[(); 4])?;
    /// set.insert(&[5], &[()])?;
    /// assert_eq!(set.statistics().levels.len(), 2);
    /// set.cleanup()?;
    /// assert_eq!(set.statistics().levels.len(), 1);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs a merge of all entries. It is never needed to limit space: updates do that.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn cleanup(&mut self) -> Result<()> {
        self.commit(self.current.prepare_cleanup())
    }

    /// Computes the bytes that a dictionary of `n` live entries needs if its batches have up to `batch` operations: the
    /// expected need if all keys are distinct, and the most that its updates can ever need. Queries need more. A batch size of
    /// 0, which no dictionary can have, counts as 1.
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

    /// Makes an update take effect, if it could be prepared.
    fn commit(&mut self, ready: Result<Ready<K, V>>) -> Result<()> {
        self.current.commit(ready?);
        Ok(())
    }
}
