//! The devices and the memory of CubeCL, for programs that use it too.

use crate::backed::{Backed, Residence};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, Result};
use cubecl::client::Client;
use cubecl::server::Handle;
use gpu_lsm_primitives::gpu::Gpu;
pub use gpu_lsm_primitives::gpu::engine::cubecl;
use gpu_lsm_primitives::{Meter, Value};

/// Opens a device of CubeCL, by its name there. Waits for the device once.
///
/// It has the same client as everything else that names it so in this program. A name stands for a client, not for a
/// card: CubeCL's default device and the same card by its number are two devices, which cannot use each other's memory.
///
/// ```no_run
/// use gpu_lsm::interop::{self, cubecl};
///
/// let device = cubecl::Device::default(); // or the device of a Burn tensor
/// let opened = interop::open(&device)?;
/// assert_eq!(interop::engine_device(&opened)?, device);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
///
/// # Errors
/// If CubeCL cannot open the device, or reaches it through OpenGL.
pub fn open(device: &cubecl::Device) -> Result<Device> {
    Ok(Device::new(Backed::Gpu(Gpu::open(device, Meter::new(None))?)))
}

/// The name of a device in CubeCL, for instance to make Burn's tensors on it. Does not wait.
///
/// ```no_run
/// use gpu_lsm::{Device, interop};
///
/// let device = Device::gpu()?;
/// assert_eq!(interop::open(&interop::engine_device(&device)?)?, device);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnEngine`] if the device is the host.
pub fn engine_device(device: &Device) -> Result<cubecl::Device> {
    Ok(gpu(device)?.engine_device().clone())
}

/// CubeCL's client for a device, to launch kernels of your own on its memory. Does not wait.
///
/// ```no_run
/// use gpu_lsm::{Device, interop};
///
/// let client = interop::client(&Device::gpu()?)?;
/// let memory = client.create_from_slice(&[0; 4000]);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnEngine`] if the device is the host.
pub fn client(device: &Device) -> Result<Client> {
    Ok(gpu(device)?.engine_client())
}

/// CubeCL's handle for the memory of a [`Buffer`], cut to its length. Does not wait: CubeCL runs what comes later after
/// what should write the buffer.
///
/// The handle keeps the memory alive. Write only to buffers that [`Device::room`] or [`Device::upload`] made, and only
/// before a dictionary takes them. Never change what a dictionary has made or taken; Burn copies a tensor before it
/// would, as long as the buffer lives too.
///
/// ```no_run
/// use gpu_lsm::{Device, interop};
///
/// let device = Device::gpu()?;
/// let squares = device.upload(&[1u32, 4, 9])?;
/// let handle = interop::handle(&squares)?;
/// assert_eq!(interop::client(&device)?.read_one_unchecked(handle)[..4], [1, 0, 0, 0]);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnEngine`] if the buffer is on the host.
pub fn handle<T: Value>(buffer: &Buffer<T>) -> Result<Handle> {
    match Gpu::of(&buffer.array) {
        Some((gpu, array)) => Ok(gpu.engine_handle(array)),
        None => Err(not_on_engine()),
    }
}

/// The first `length` elements in memory of CubeCL, as a [`Buffer`]. Nothing is copied. Does not wait: what the buffer is
/// used for comes after what should write the memory.
///
/// The buffer keeps the memory alive. Do not change it once a dictionary has taken it; Burn copies a tensor before it
/// would, as long as the buffer lives too. The memory counts against no byte budget. Elements are those of a contiguous
/// tensor: a view with other strides has to be made contiguous first.
///
/// ```no_run
/// use gpu_lsm::{Device, Dictionary, interop};
///
/// let device = Device::gpu()?;
/// let memory = interop::client(&device)?.create_from_slice(&[5, 0, 0, 0, 3, 0, 0, 0]); // or written by kernels
/// let keys = interop::buffer::<u32>(&device, memory, 2)?;
/// let mut set = Dictionary::<u32, ()>::new(&device)?;
/// set.insert_keys(&keys)?;
/// assert_eq!(set.first()?, Some((3, ())));
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnEngine`] if the device is the host; [`UnfitMemory`](crate::BackendError::UnfitMemory) if the memory
/// belongs to another client, is too short, or starts where kernels cannot bind it;
/// [`TooLarge`](crate::BackendError::TooLarge) if no buffer on the device can have that many elements.
pub fn buffer<T: Value>(device: &Device, memory: Handle, length: usize) -> Result<Buffer<T>> {
    let gpu = gpu(device)?.with_meter(Meter::new(None));
    Ok(Buffer::new(&gpu, gpu.adopt(memory, length)?))
}

fn gpu(device: &Device) -> Result<&Gpu> {
    Gpu::of(&device.opened).ok_or_else(not_on_engine)
}

fn not_on_engine() -> Error {
    Error::NotOnEngine { device: "host".into(), engine: "CubeCL", call: "`Device::gpu` or `interop::open`" }
}
