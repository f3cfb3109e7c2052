//! Buffers: plain data that lives on a device.

use crate::backed::{Backed, OpenDevice, PerBackend, Residence, on_backend};
use crate::device::Device;
use crate::error::{Error, Result};
use gpu_lsm_primitives::{Array, Backend, Meter, Value};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

/// Keys or values on a device: what calls take in place of slices, and what they leave there.
///
/// Clones share the memory, which is given back with the last of them. What a dictionary made counts against its byte
/// budget for so long. On the host a buffer is memory of the host, so that programs need not care.
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
    pub(crate) array: Backed<Arrays<T>>,
}

/// Arrays by backend, each with the backend that it is on.
pub(crate) struct Arrays<T>(PhantomData<T>);

impl<T: Value> PerBackend for Arrays<T> {
    type On<B: Residence> = (B, B::Array<T>);
}

impl<T: Value> Buffer<T> {
    /// An array, to be handed out.
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

    /// How many elements it holds.
    pub fn len(&self) -> usize {
        on_backend!(&self.array, (_, array) => Array::len(array))
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Some neighbouring elements as a buffer of their own. Does not wait; on a GPU those from the first on share the
    /// memory, others are copied there.
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
    /// [`Error::OutOfBounds`] where the range reaches past the end, or where the device has no room.
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
    /// # Errors
    /// Where the work that was to write them failed.
    pub fn read(&self) -> Result<Vec<T>> {
        self.read_first(self.len())
    }

    /// Copies the first `len` elements to the host, all where there are fewer. Waits for the device.
    ///
    /// # Errors
    /// Where the work that was to write them failed.
    pub fn read_first(&self, len: usize) -> Result<Vec<T>> {
        Ok(on_backend!(&self.array, (backend, array) => backend.download(array, len.min(self.len())))?)
    }

    /// Copies the elements to the host, from when the future is first polled. Polling does not wait for the device, only
    /// for the engine's thread to take the request.
    ///
    /// # Errors
    /// Where the work that was to write them failed.
    pub fn read_async(&self) -> impl Future<Output = Result<Vec<T>>> + Send + 'static + use<T> {
        self.read_first_async(self.len())
    }

    /// Like [`read_async`](Self::read_async), with the first `len` elements only, or all where there are fewer.
    ///
    /// # Errors
    /// Where the work that was to write them failed.
    pub fn read_first_async(
        &self,
        len: usize,
    ) -> impl Future<Output = Result<Vec<T>>> + Send + 'static + use<T> {
        let len = len.min(self.len());
        let download = on_backend!(&self.array, (backend, array) => backend.download_async(array, len));
        async { Ok(download.await?) }
    }

    /// The account that its memory is counted by.
    pub(crate) fn meter(&self) -> &Meter {
        on_backend!(&self.array, (backend, _) => backend.meter())
    }

    /// The name of the device that it is on.
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
    /// Copies data to the device. Does not wait for it.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn upload<T: Value>(&self, data: &[T]) -> Result<Buffer<T>> {
        const { assert!(T::WORDS <= 4) };
        on_backend!(&self.opened, device => {
            let backend = device.backend(Meter::new(None));
            Ok(Buffer::new(&backend, backend.upload(data)?))
        })
    }

    /// Room for `len` elements on the device, of no defined content: to be written by the caller's own kernels. Does not
    /// wait.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn room<T: Value>(&self, len: usize) -> Result<Buffer<T>> {
        const { assert!(T::WORDS <= 4) };
        on_backend!(&self.opened, device => {
            let backend = device.backend(Meter::new(None));
            Ok(Buffer::new(&backend, backend.room(len)?))
        })
    }
}
