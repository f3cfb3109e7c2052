//! The results of queries, left on the device.

use crate::backed::Residence;
use crate::buffer::Buffer;
use crate::error::Result;
use crate::key::Key;
use crate::lists::wide;
use crate::lookup::Answers;
use crate::neighbour::Neighbours;
use crate::range::Ranges;
use gpu_lsm_primitives::{Candidates, Value};

/// The answers to a list of lookups, on the device.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DeviceAnswers<V: Value> {
    /// For each query, 1 if the key is present, else 0.
    pub found: Buffer<u32>,
    /// For each query, the value; zero if the key is missing.
    pub values: Buffer<V>,
}

impl<V: Value> DeviceAnswers<V> {
    /// The buffers: what was found, and the values. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let (found, values) = squares.on_device().lookup([2, 5])?.into_parts();
    /// assert_eq!((found.read()?, values.read()?), (vec![1, 0], vec![4, 0]));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn into_parts(self) -> (Buffer<u32>, Buffer<V>) {
        (self.found, self.values)
    }

    /// Copies the answers to the host. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u32, 4, 9])?;
    /// let answers = squares.on_device().lookup(&[2, 5])?;
    /// assert_eq!(answers.read()?.to_vec(), [Some(4), None]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the work that should have written them failed.
    pub fn read(&self) -> Result<Answers<V>> {
        Ok(Answers::new(self.found.read()?, self.values.read()?))
    }

    /// Like [`read`](Self::read), without blocking.
    ///
    /// ```
    /// # async fn example() -> gpu_lsm::Result<()> {
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u32, 4, 9])?;
    /// let answers = squares.on_device().lookup(&[2, 5])?;
    /// assert_eq!(answers.read_async().await?.to_vec(), [Some(4), None]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the work that should have written them failed.
    pub async fn read_async(&self) -> Result<Answers<V>> {
        Ok(Answers::new(self.found.read_async().await?, self.values.read_async().await?))
    }
}

/// The entries that a list of range queries found, on the device, in compressed form.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DeviceRanges<K: Key, V: Value> {
    /// For each query, and one past the last, the number of entries that all queries before it found. 32 bits are
    /// enough, because the entries are in one array.
    pub offsets: Buffer<u32>,
    /// The keys that all queries found.
    pub keys: Buffer<K::Native>,
    /// The values that all queries found, in the order of the keys.
    pub values: Buffer<V>,
}

impl<K: Key, V: Value> DeviceRanges<K, V> {
    /// Makes entries available to the caller. Their arrays have the exact length.
    pub(crate) fn new<B: Residence>(backend: &B, found: Candidates<B, K::Code, V>) -> Result<Self> {
        Ok(Self {
            offsets: Buffer::new(backend, found.offsets),
            keys: Buffer::new(backend, K::decode(backend, &found.entries.keys)?),
            values: Buffer::new(backend, found.entries.values),
        })
    }

    /// The buffers: offsets, keys and values. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), [1u32, 2, 3], [1u32, 4, 9])?;
    /// let (offsets, keys, _values) = squares.on_device().range([2], [9])?.into_parts();
    /// assert_eq!((offsets.read()?, keys.read()?), (vec![0, 2], vec![2, 3]));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn into_parts(self) -> (Buffer<u32>, Buffer<K::Native>, Buffer<V>) {
        (self.offsets, self.keys, self.values)
    }

    /// Copies the entries to the host. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u32, 4, 9])?;
    /// let found = squares.on_device().range(&[2], &[9])?;
    /// assert_eq!(found.read()?.get(0), (&[2, 3][..], &[4, 9][..]));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the work that should have written them failed.
    pub fn read(&self) -> Result<Ranges<K, V>> {
        let offsets = self.offsets.read()?;
        let (keys, values) = (self.keys.read()?, self.values.read()?);
        let meter = self.keys.meter();
        Ok(Ranges::new(wide(meter, offsets)?, K::from_natives(meter, keys)?, values))
    }

    /// Like [`read`](Self::read), without blocking.
    ///
    /// ```
    /// # async fn example() -> gpu_lsm::Result<()> {
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let squares = Dictionary::build(&Device::host(), Config::new(), &[1u32, 2, 3], &[1u32, 4, 9])?;
    /// let found = squares.on_device().range(&[2], &[9])?;
    /// assert_eq!(found.read_async().await?.keys(), [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the work that should have written them failed.
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
    /// For each query, 1 if there is such an entry, else 0.
    pub found: Buffer<u32>,
    /// For each query, the key of the entry; zero if there is none.
    pub keys: Buffer<K::Native>,
    /// For each query, the value of the entry; zero if there is none.
    pub values: Buffer<V>,
}

impl<K: Key, V: Value> DeviceNeighbours<K, V> {
    /// The buffers: what was found, keys and values. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), [10u32, 20, 30], [1u32, 2, 3])?;
    /// let (found, keys, _values) = tens.on_device().successor([11, 31])?.into_parts();
    /// assert_eq!((found.read()?, keys.read()?), (vec![1, 0], vec![20, 0]));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn into_parts(self) -> (Buffer<u32>, Buffer<K::Native>, Buffer<V>) {
        (self.found, self.keys, self.values)
    }

    /// Copies the entries to the host. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
    /// let next = tens.on_device().successor(&[11, 31])?.read()?;
    /// assert_eq!((next.get(0), next.get(1)), (Some((20, 2)), None));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the work that should have written them failed.
    pub fn read(&self) -> Result<Neighbours<K, V>> {
        let (found, keys, values) = (self.found.read()?, self.keys.read()?, self.values.read()?);
        Ok(Neighbours::new(found, K::from_natives(self.keys.meter(), keys)?, values))
    }

    /// Like [`read`](Self::read), without blocking.
    ///
    /// ```
    /// # async fn example() -> gpu_lsm::Result<()> {
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let tens = Dictionary::build(&Device::host(), Config::new(), &[10u32, 20, 30], &[1u32, 2, 3])?;
    /// let next = tens.on_device().successor(&[11])?;
    /// assert_eq!(next.read_async().await?.get(0), Some((20, 2)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the work that should have written them failed.
    pub async fn read_async(&self) -> Result<Neighbours<K, V>> {
        let (found, keys) = (self.found.read_async().await?, self.keys.read_async().await?);
        let keys = K::from_natives(self.keys.meter(), keys)?;
        Ok(Neighbours::new(found, keys, self.values.read_async().await?))
    }
}
