//! Buffers: plain data that lives on a device.

use crate::backed::{Backed, DeviceHandle, PerBackend, Residence, on_backend};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::key::Key;
use gpu_lsm_primitives::{Array, Backend, Meter, Value};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

/// Keys or values on a device. Calls take buffers in place of slices, and leave results in them.
///
/// Clones share the memory, which is freed with the last of them. Until then, a buffer that a dictionary made counts
/// against the dictionary's byte budget. On the host, a buffer is simply memory of the host, so the same program runs
/// there.
///
/// ```
/// use gpu_lsm::{Device, Dictionary};
/// let device = Device::auto();
/// let (keys, values) = (device.upload(&[3u32, 1, 2])?, device.upload(&[30u32, 10, 20])?);
/// let mut dictionary = Dictionary::<u32, u32>::new(&device)?;
/// dictionary.insert(&keys, &values)?;
/// let answers = dictionary.on_device().lookup(&keys)?; // nothing was copied, nothing waited for
/// assert_eq!(answers.values.read()?, [30, 10, 20]);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
#[derive(Clone)]
pub struct Buffer<T: Value> {
    pub(crate) array: Backed<BackedArray<T>>,
}

/// An array of each backend, with the backend that it is on.
pub(crate) struct BackedArray<T>(PhantomData<T>);

impl<T: Value> PerBackend for BackedArray<T> {
    type On<B: Residence> = (B, B::Array<T>);
}

impl<T: Value> Buffer<T> {
    /// Makes an array available to the caller.
    pub(crate) fn new<B: Residence>(backend: &B, array: B::Array<T>) -> Self {
        Self { array: B::backed((backend.clone(), array)) }
    }

    /// The array, for a dictionary on the same device.
    pub(crate) fn array_on<B: Residence>(&self, backend: &B) -> Result<B::Array<T>> {
        match B::of(&self.array) {
            Some((owner, array)) if owner.is_same_device(backend) => Ok(array.clone()),
            _ => Err(Error::OtherDevice {
                buffer: self.device_name().to_owned(),
                dictionary: backend.device_name().to_owned(),
            }),
        }
    }

    /// The number of elements.
    ///
    /// ```
    /// let primes = gpu_lsm::Device::host().upload(&[2u32, 3, 5])?;
    /// assert_eq!(primes.len(), 3);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        on_backend!(&self.array, (_, array) => Array::len(array))
    }

    /// Whether it has no elements.
    ///
    /// ```
    /// let nothing = gpu_lsm::Device::host().upload::<u32>(&[])?;
    /// assert!(nothing.is_empty());
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A contiguous part of the elements as a buffer of its own. Does not wait. On a GPU, a part that starts at the
    /// first element shares the memory; any other is copied on the device.
    ///
    /// ```
    /// use gpu_lsm::Device;
    /// let primes = Device::host().upload(&[2u32, 3, 5, 7, 11])?;
    /// assert_eq!(primes.slice(1..3)?.read()?, [3, 5]);
    /// assert_eq!(primes.slice(..2)?.len(), 2);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] if the range reaches past the end; also if memory runs out.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len(),
        };
        if start > end || end > self.len() {
            return Err(Error::OutOfBounds { start, end, len: self.len() });
        }
        on_backend!(&self.array, (backend, array) => {
            Ok(Self::new(backend, backend.slice(array, start..end)?))
        })
    }

    /// Copies the elements to the host. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::Device;
    /// let primes = Device::host().upload(&[2u32, 3, 5])?;
    /// assert_eq!(primes.read()?, [2, 3, 5]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the work that should have written them failed.
    pub fn read(&self) -> Result<Vec<T>> {
        self.read_first(self.len())
    }

    /// Copies the first `len` elements to the host, or all if there are fewer. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::Device;
    /// let primes = Device::host().upload(&[2u32, 3, 5])?;
    /// assert_eq!(primes.read_first(2)?, [2, 3]);
    /// assert_eq!(primes.read_first(9)?, [2, 3, 5]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the work that should have written them failed.
    pub fn read_first(&self, len: usize) -> Result<Vec<T>> {
        Ok(on_backend!(&self.array, (backend, array) => backend.download(array, len.min(self.len())))?)
    }

    /// Copies the elements to the host. The copy starts when the future is first polled. Polling does not wait for the
    /// device, only for the engine's thread to accept the request.
    ///
    /// ```
    /// # async fn example() -> gpu_lsm::Result<()> {
    /// use gpu_lsm::Device;
    /// let primes = Device::host().upload(&[2u32, 3, 5])?;
    /// assert_eq!(primes.read_async().await?, [2, 3, 5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the work that should have written them failed.
    pub fn read_async(&self) -> impl Future<Output = Result<Vec<T>>> + Send + 'static + use<T> {
        self.read_first_async(self.len())
    }

    /// Like [`read_async`](Self::read_async), but copies only the first `len` elements, or all if there are fewer.
    ///
    /// ```
    /// # async fn example() -> gpu_lsm::Result<()> {
    /// use gpu_lsm::Device;
    /// let primes = Device::host().upload(&[2u32, 3, 5])?;
    /// assert_eq!(primes.read_first_async(2).await?, [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the work that should have written them failed.
    pub fn read_first_async(
        &self,
        len: usize,
    ) -> impl Future<Output = Result<Vec<T>>> + Send + 'static + use<T> {
        let len = len.min(self.len());
        let download = on_backend!(&self.array, (backend, array) => backend.download_async(array, len));
        async { Ok(download.await?) }
    }

    /// The meter that counts its memory.
    pub(crate) fn meter(&self) -> &Meter {
        on_backend!(&self.array, (backend, _) => backend.meter())
    }

    /// The name of the device that it is on.
    ///
    /// ```
    /// let primes = gpu_lsm::Device::host().upload(&[2u32, 3, 5])?;
    /// assert_eq!(primes.device_name(), "host");
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn device_name(&self) -> &str {
        on_backend!(&self.array, (backend, _) => backend.device_name())
    }
}

impl<T: Value> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = f.debug_struct("Buffer");
        buffer.field("device", &self.device_name()).field("len", &self.len()).finish_non_exhaustive()
    }
}

impl Device {
    /// Copies data to the device. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::Device;
    /// let primes = Device::host().upload(&[2u32, 3, 5])?;
    /// assert_eq!(primes.len(), 3);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If memory runs out.
    pub fn upload<T: Value>(&self, data: &[T]) -> Result<Buffer<T>> {
        on_backend!(&self.opened, device => {
            let backend = device.backend(Meter::new(None));
            Ok(Buffer::new(&backend, backend.upload(data)?))
        })
    }

    /// Copies keys of any type to the device, in the form that calls take there: see [`Key::Native`]. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary, Morton};
    /// let device = Device::host();
    /// let points = device.upload_keys(&[Morton { x: 1, y: 2 }, Morton { x: 3, y: 4 }])?;
    /// let set = Dictionary::<Morton, ()>::build_set(&device, Config::new(), points)?;
    /// assert!(set.contains(Morton { x: 3, y: 4 })?);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If memory runs out.
    pub fn upload_keys<K: Key>(&self, keys: &[K]) -> Result<Buffer<K::Native>> {
        self.upload(&K::to_natives(&Meter::new(None), keys)?)
    }

    /// Allocates a buffer of `len` elements with undefined content, for your own kernels to write. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::Device;
    /// let buffer = Device::host().room::<u32>(1000)?;
    /// assert_eq!(buffer.len(), 1000);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If memory runs out.
    pub fn room<T: Value>(&self, len: usize) -> Result<Buffer<T>> {
        on_backend!(&self.opened, device => {
            let backend = device.backend(Meter::new(None));
            Ok(Buffer::new(&backend, backend.room(len)?))
        })
    }
}
