//! A program's own wgpu device, shared with a dictionary: nothing is copied between the two.
//!
//! The only part of this crate with wgpu's types in it; [`wgpu`] is that crate, in the version that is used.
//!
//! ```no_run
//! use gpu_lsm::wgpu::{self, wgpu::*};
//!
//! # async fn share() -> Result<(), Box<dyn std::error::Error>> {
//! let backends = Backends::VULKAN | Backends::METAL | Backends::DX12; // not OpenGL
//! let descriptor = InstanceDescriptor { backends, ..InstanceDescriptor::new_without_display_handle() };
//! let instance = Instance::new(descriptor);
//! let adapter = instance.request_adapter(&RequestAdapterOptions::default()).await?;
//! let (device, queue) = adapter.request_device(&wgpu::descriptor(&adapter)).await?;
//! let shared = wgpu::share(&instance, &adapter, &device, &queue)?;
//!
//! let keys = shared.room::<u32>(1000)?;
//! let part = wgpu::part(&keys)?;
//! // Bind `part.buffer` from `part.offset` on, write `part.size` bytes with a kernel of your own, submit, and then:
//! let mut set = gpu_lsm::Dictionary::<u32, ()>::new(&shared)?;
//! set.insert(&keys, &vec![(); 1000])?;
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

/// Takes a program's own device into use. Call it once for each device, and clone the result. Does not wait.
///
/// The engine sets the device's callbacks for its loss and for errors that nobody catches, in place of the program's.
///
/// # Errors
/// Where the device was made without what [`descriptor`] asks for, where it is one of OpenGL, where a feature (`vulkan`,
/// `metal`) makes the engine compile for it by another way than WGSL, or where the engine can't take it.
pub fn share(
    instance: &wgpu::Instance,
    adapter: &wgpu::Adapter,
    device: &wgpu::Device,
    queue: &wgpu::Queue,
) -> Result<Device> {
    let meter = gpu_lsm_primitives::Meter::new(None);
    Ok(Device { opened: Backed::Gpu(Gpu::share(instance, adapter, device, queue, meter)?) })
}

/// The part of a wgpu buffer that a [`Buffer`] is. All work on it so far is handed to the device's queue, so that what the
/// program submits from now on comes after it. Does not wait.
///
/// The part stays in its place for as long as the [`Part`] lives: keep it until the program's own work on it is
/// submitted. Write only to what [`Device::room`] or
/// [`Device::upload`] made, and before a dictionary takes it: what a dictionary has made or taken must stay as it is.
///
/// # Errors
/// Where the buffer is on the host, where the device is none of wgpu's, or where the work that was to write it failed.
pub fn part<T: Value>(buffer: &Buffer<T>) -> Result<Part> {
    match Gpu::of(&buffer.array) {
        Some((gpu, array)) => Ok(gpu.part(array)?),
        None => Err(Error::OtherDevice { buffer: "host".into(), dictionary: "wgpu".into() }),
    }
}
