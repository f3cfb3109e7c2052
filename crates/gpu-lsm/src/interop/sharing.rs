//! A program's own wgpu device.

use crate::backed::{Backed, Residence};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, Result};
use gpu_lsm_primitives::gpu::Gpu;
pub use gpu_lsm_primitives::gpu::wgpu::{descriptor, wgpu};
pub use gpu_lsm_primitives::gpu::{Callbacks, Part};
use gpu_lsm_primitives::{Meter, Value};

/// Makes a [`Device`] of a program's own wgpu device. Shared twice, it is the same device. Waits for it once, to open it.
///
/// From then on, uncaught errors of the program's own calls panic, as they do by default in wgpu, and no callback of the
/// program is told of a lost device: the engine takes the place of both callbacks. If the program has any, use
/// [`share_with`].
///
/// Each [`Buffer`] on the device is a wgpu buffer of its own, and a short one may take 32 KiB. The engine keeps the device
/// until the program ends.
///
/// ```no_run
/// use gpu_lsm::Dictionary;
/// use gpu_lsm::interop::{self, wgpu::*};
///
/// # async fn share() -> Result<(), Box<dyn std::error::Error>> {
/// let backends = Backends::VULKAN | Backends::METAL | Backends::DX12; // not OpenGL
/// let descriptor = InstanceDescriptor { backends, ..InstanceDescriptor::new_without_display_handle() };
/// let instance = Instance::new(descriptor);
/// let adapter = instance.request_adapter(&RequestAdapterOptions::default()).await?;
/// let (device, queue) = adapter.request_device(&interop::descriptor(&adapter)).await?;
/// let shared = interop::share(&instance, &adapter, &device, &queue)?;
///
/// let keys = shared.room::<u32>(1000)?;
/// let part = interop::part(&keys)?;
/// // Bind `part.binding()` to a kernel of your own that writes the keys, submit it, and then:
/// let mut set = Dictionary::<u32, ()>::new(&shared)?;
/// set.insert_keys(&keys)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`CannotShare`](crate::BackendError::CannotShare) if the device was made without something that [`descriptor`] asks
/// for, if it is an OpenGL device, if a feature (`vulkan`, `metal`) makes the engine compile for it through a language
/// other than WGSL, or if the engine cannot use it; [`DeviceLost`](crate::BackendError::DeviceLost) if it is lost.
pub fn share(
    instance: &wgpu::Instance,
    adapter: &wgpu::Adapter,
    device: &wgpu::Device,
    queue: &wgpu::Queue,
) -> Result<Device> {
    opened(Gpu::share(instance, adapter, device, queue, None, Meter::new(None)))
}

/// Like [`share`], for a program that has callbacks for uncaught errors and for the loss of its device. They are called
/// as before, in place of those of an earlier call. Waits for the device once, to open it.
///
/// wgpu does not tell which callbacks a device has, so the program hands them over here, after or instead of setting
/// them by wgpu. Errors of the engine's own calls are not for the program: they become errors of dictionaries. Do not
/// set callbacks by wgpu after this call, because dictionaries would not learn of a lost device.
///
/// ```no_run
/// use gpu_lsm::interop::{self, Callbacks, wgpu};
///
/// # fn share(instance: &wgpu::Instance, adapter: &wgpu::Adapter, device: &wgpu::Device, queue: &wgpu::Queue)
/// # -> gpu_lsm::Result<()> {
/// let callbacks = Callbacks::new(
///     |error| eprintln!("our own mistake: {error}"),
///     |reason, message| eprintln!("the device is lost: {reason:?}, {message}"),
/// );
/// let shared = interop::share_with(instance, adapter, device, queue, callbacks)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As for [`share`].
pub fn share_with(
    instance: &wgpu::Instance,
    adapter: &wgpu::Adapter,
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    callbacks: Callbacks,
) -> Result<Device> {
    opened(Gpu::share(instance, adapter, device, queue, Some(callbacks), Meter::new(None)))
}

fn opened(gpu: gpu_lsm_primitives::Result<Gpu>) -> Result<Device> {
    Ok(Device::new(Backed::Gpu(gpu?)))
}

/// The part of a wgpu buffer that a [`Buffer`] occupies. Hands all work on it so far to the device's queue, so that
/// work that the program submits later comes after it. Does not wait.
///
/// The part does not move while the [`Part`] lives: keep it until the program's own work on it is submitted. Write only
/// to buffers that [`Device::room`] or [`Device::upload`] made, and only before a dictionary takes them. Never change
/// what a dictionary has made or taken.
///
/// ```no_run
/// use gpu_lsm::interop::{self, wgpu};
///
/// # fn bind(device: &wgpu::Device, layout: &wgpu::BindGroupLayout, keys: &gpu_lsm::Buffer<u32>) -> gpu_lsm::Result<()> {
/// let part = interop::part(keys)?;
/// let bound = device.create_bind_group(&wgpu::BindGroupDescriptor {
///     label: None,
///     layout,
///     entries: &[wgpu::BindGroupEntry { binding: 0, resource: part.binding() }],
/// });
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::NotOnEngine`] if the buffer is on the host or on a device that wgpu does not drive; also if the work that
/// should have written the buffer failed.
pub fn part<T: Value>(buffer: &Buffer<T>) -> Result<Part> {
    match Gpu::of(&buffer.array) {
        Some((gpu, array)) if gpu.runtime().starts_with("wgpu") => Ok(gpu.part(array)?),
        _ => Err(Error::NotOnEngine {
            device: buffer.device_name().to_owned(),
            engine: "wgpu",
            call: "`interop::share`",
        }),
    }
}
