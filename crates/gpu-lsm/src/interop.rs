//! A dictionary on a program's own wgpu device. Nothing is copied between the two.
//!
//! Only this module of the crate has wgpu's types in its interface. [`wgpu`] is that crate, in the version used here.
//!
//! ```no_run
//! use gpu_lsm::interop::{self, wgpu::*};
//!
//! # async fn share() -> Result<(), Box<dyn std::error::Error>> {
//! let backends = Backends::VULKAN | Backends::METAL | Backends::DX12; // not OpenGL
//! let descriptor = InstanceDescriptor { backends, ..InstanceDescriptor::new_without_display_handle() };
//! let instance = Instance::new(descriptor);
//! let adapter = instance.request_adapter(&RequestAdapterOptions::default()).await?;
//! let (device, queue) = adapter.request_device(&interop::descriptor(&adapter)).await?;
//! let shared = interop::share(&instance, &adapter, &device, &queue)?;
//!
//! let keys = shared.room::<u32>(1000)?;
//! let part = interop::part(&keys)?;
//! // Bind `part.buffer` from `part.offset` on, write `part.size` bytes with a kernel of your own, submit, and then:
//! let mut set = gpu_lsm::Dictionary::<u32, ()>::new(&shared)?;
//! set.insert_keys(&keys)?;
//! # Ok(())
//! # }
//! ```

use crate::backed::{Backed, Residence};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, Result};
use gpu_lsm_primitives::Value;
use gpu_lsm_primitives::gpu::Gpu;
pub use gpu_lsm_primitives::gpu::wgpu::{Part, descriptor, wgpu};

/// Makes a [`Device`] of a program's own wgpu device. Call it once per device, and clone the result. Does not wait.
///
/// The engine replaces the program's callbacks for a lost device and for uncaught errors.
///
/// # Errors
/// If the device was made without something that [`descriptor`] asks for, if it is an OpenGL device, if a feature
/// (`vulkan`, `metal`) makes the engine compile for it through a language other than WGSL, or if the engine cannot use
/// it.
pub fn share(
    instance: &wgpu::Instance,
    adapter: &wgpu::Adapter,
    device: &wgpu::Device,
    queue: &wgpu::Queue,
) -> Result<Device> {
    let meter = gpu_lsm_primitives::Meter::new(None);
    Ok(Device::new(Backed::Gpu(Gpu::share(instance, adapter, device, queue, meter)?)))
}

/// The part of a wgpu buffer that a [`Buffer`] occupies. Hands all work on it so far to the device's queue, so that
/// work that the program submits later comes after it. Does not wait.
///
/// The part does not move while the [`Part`] lives: keep it until the program's own work on it is submitted. Write only
/// to buffers that [`Device::room`] or [`Device::upload`] made, and only before a dictionary takes them. Never change
/// what a dictionary has made or taken.
///
/// # Errors
/// If the buffer is on the host, the device is not one of wgpu's, or the work that should have written the buffer
/// failed.
pub fn part<T: Value>(buffer: &Buffer<T>) -> Result<Part> {
    match Gpu::of(&buffer.array) {
        Some((gpu, array)) => Ok(gpu.part(array)?),
        None => Err(Error::OtherDevice { buffer: "host".into(), dictionary: "wgpu".into() }),
    }
}
