//! Buffers: plain data that lives on a device.

use crate::device::{Device, Kind};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use gpu_lsm_primitives::gpu::{Gpu, GpuArray};
use gpu_lsm_primitives::host::{Host, HostArray};
use gpu_lsm_primitives::{Array, Backend, Meter, Value};
use std::fmt;
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
    pub(crate) place: Place<T>,
}

/// The backends that are compiled in.
#[derive(Clone)]
pub(crate) enum Place<T: Value> {
    Host(Host, HostArray<T>),
    #[cfg(feature = "gpu")]
    Gpu(Gpu, GpuArray<T>),
}

/// Evaluates an expression with whichever backend and array there is.
macro_rules! with_array {
    ($buffer:expr, $backend:ident, $array:ident => $result:expr) => {
        match &$buffer.place {
            Place::Host($backend, $array) => $result,
            #[cfg(feature = "gpu")]
            Place::Gpu($backend, $array) => $result,
        }
    };
}

impl<T: Value> Buffer<T> {
    /// How many elements it holds.
    pub fn len(&self) -> usize {
        with_array!(self, _backend, array => Array::len(array))
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
        with_array!(self, backend, array => Ok(backend.buffer(backend.slice(array, start..end)?)))
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
        Ok(with_array!(self, backend, array => backend.download(array, len.min(self.len())))?)
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
        let download =
            with_array!(self, backend, array => backend.download_async(array, len.min(self.len())));
        async { Ok(download.await?) }
    }

    /// The account that its memory is counted by.
    pub(crate) fn meter(&self) -> &Meter {
        with_array!(self, backend, _array => backend.meter())
    }

    /// The name of the device that it is on.
    pub fn device_name(&self) -> &str {
        with_array!(self, backend, _array => backend.device_name())
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
        match &self.kind {
            Kind::Host { largest } => {
                let host = Host::with_arrays_of_at_most(*largest, Meter::new(None));
                Ok(host.buffer(host.upload(data)?))
            }
            #[cfg(feature = "gpu")]
            Kind::Gpu(gpu) => Ok(gpu.buffer(gpu.upload(data)?)),
        }
    }

    /// Room for `len` elements on the device, of no defined content: to be written by the caller's own kernels. Does not
    /// wait.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn room<T: Value>(&self, len: usize) -> Result<Buffer<T>> {
        const { assert!(T::WORDS <= 4) };
        match &self.kind {
            Kind::Host { largest } => {
                let host = Host::with_arrays_of_at_most(*largest, Meter::new(None));
                Ok(host.buffer(host.room(len)?))
            }
            #[cfg(feature = "gpu")]
            Kind::Gpu(gpu) => Ok(gpu.buffer(gpu.room(len)?)),
        }
    }
}

/// A backend whose arrays can be handed out as buffers.
pub(crate) trait Residence: Backend {
    fn device_name(&self) -> &str;
    fn buffer<T: Value>(&self, array: Self::Array<T>) -> Buffer<T>;
    /// The array of a buffer that is on this device.
    fn array<T: Value>(&self, buffer: &Buffer<T>) -> Option<Self::Array<T>>;

    /// The array of a buffer.
    fn own<T: Value>(&self, buffer: &Buffer<T>) -> Result<Self::Array<T>> {
        self.array(buffer).ok_or_else(|| Error::OtherDevice {
            buffer: buffer.device_name().to_owned(),
            dictionary: self.device_name().to_owned(),
        })
    }
}

impl Residence for Host {
    fn device_name(&self) -> &str {
        "host"
    }

    fn buffer<T: Value>(&self, array: HostArray<T>) -> Buffer<T> {
        Buffer { place: Place::Host(self.clone(), array) }
    }

    fn array<T: Value>(&self, buffer: &Buffer<T>) -> Option<HostArray<T>> {
        match &buffer.place {
            Place::Host(_, array) => Some(array.clone()),
            #[cfg(feature = "gpu")]
            Place::Gpu(..) => None,
        }
    }
}

#[cfg(feature = "gpu")]
impl Residence for Gpu {
    fn device_name(&self) -> &str {
        self.name()
    }

    fn buffer<T: Value>(&self, array: GpuArray<T>) -> Buffer<T> {
        Buffer { place: Place::Gpu(self.clone(), array) }
    }

    fn array<T: Value>(&self, buffer: &Buffer<T>) -> Option<GpuArray<T>> {
        match &buffer.place {
            Place::Gpu(gpu, array) if gpu.is_same_device(self) => Some(array.clone()),
            _ => None,
        }
    }
}
