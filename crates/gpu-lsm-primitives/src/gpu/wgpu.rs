//! A caller's own wgpu device, and arrays as wgpu buffers. Only this file has wgpu's types in its public interface.

use super::array::GpuArray;
use super::axes::Tiles;
use super::device::Gpu;
use super::devices;
use super::registry::Kernel;
use super::shape::Shape;
use super::table::Instance;
use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::value::Plain;
pub use cubecl::wgpu::wgpu;
use cubecl::wgpu::{AutoCompiler, RuntimeOptions, WgpuServer, WgpuSetup, try_init_device};
use std::sync::Arc;

/// The descriptor with which a device must be created in order to be shared.
pub fn descriptor(adapter: &wgpu::Adapter) -> wgpu::DeviceDescriptor<'static> {
    wgpu::DeviceDescriptor {
        required_features: adapter.features() & NEEDED,
        required_limits: adapter.limits(),
        ..wgpu::DeviceDescriptor::default()
    }
}

/// Features that the engine uses if the adapter has them: 64-bit keys and time stamps.
const NEEDED: wgpu::Features = wgpu::Features::SHADER_INT64.union(wgpu::Features::TIMESTAMP_QUERY);

/// The part of a wgpu buffer that holds an array. The array stays in place as long as this value lives.
///
/// The rest of the buffer may hold other arrays. So a pass that writes to one of several parts must bind all of them as
/// read-write, and a copy between two parts must go through a buffer of the caller's own.
#[derive(Clone)]
#[non_exhaustive]
pub struct Part {
    /// The buffer.
    pub buffer: wgpu::Buffer,
    /// The first byte of the array.
    pub offset: u64,
    /// The size of the array in bytes.
    pub size: u64,
    /// Keeps the engine from moving the array.
    _in_place: Arc<dyn Send + Sync>,
}

impl Gpu {
    /// Opens a caller's own device. Call this once per device. The engine sets the device's callbacks for device loss
    /// and for uncaptured errors.
    ///
    /// # Errors
    /// [`Error::CannotOpen`] if the device lacks features that [`descriptor`] asks for, if it is an OpenGL device, if
    /// the engine would compile for it to anything but WGSL, or if the engine cannot use it.
    pub fn share(
        instance: &wgpu::Instance,
        adapter: &wgpu::Adapter,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        meter: Arc<Meter>,
    ) -> Result<Self> {
        let cannot_open = |reason: String| Error::CannotOpen { device: adapter.get_info().name, reason };
        let backend = adapter.get_info().backend;
        let is_native = (cfg!(feature = "vulkan") && backend == wgpu::Backend::Vulkan)
            || (cfg!(feature = "metal") && backend == wgpu::Backend::Metal);
        if is_native || backend == wgpu::Backend::Gl {
            let reason = "only Vulkan, Metal and DirectX 12 through WGSL can be shared, without the features `vulkan` \
                          and `metal`";
            return Err(cannot_open(reason.into()));
        }
        if let Some(lack) = lack(adapter, device) {
            return Err(cannot_open(format!(
                "it was made without {lack}; make it with the descriptor for sharing"
            )));
        }
        let setup = WgpuSetup {
            instance: instance.clone(),
            adapter: adapter.clone(),
            device: device.clone(),
            queue: queue.clone(),
            backend,
        };
        devices::settle_engine();
        let options = RuntimeOptions::try_default().map_err(|error| cannot_open(error.to_string()))?;
        let shared = devices::alone(|| try_init_device(setup, options));
        let shared = shared.map_err(|error| cannot_open(error.to_string()))?;
        let is_software = adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        let tiles = if is_software { Tiles::Direct } else { Tiles::Staged };
        Self::open_shared(&cubecl::Device::Wgpu(shared), meter, tiles)
    }

    /// The part of a wgpu buffer that an array is in. All work on the array is submitted to the queue. Does not wait.
    ///
    /// # Errors
    /// If the work that should have written the array failed, or the device is not a wgpu device.
    pub fn part<T: Plain>(&self, array: &GpuArray<T>) -> Result<Part> {
        self.guarded(|| self.client().flush())?.map_err(|error| self.engine_error(&error))?;
        let memory = array.all().memory;
        let managed = self
            .guarded(|| self.client().get_resource::<WgpuServer<AutoCompiler>>(memory))?
            .map_err(|error| self.engine_error(&error))?;
        let resource = managed.resource();
        let (buffer, offset, size) = (resource.buffer.clone(), resource.offset, resource.size);
        Ok(Part { buffer, offset, size, _in_place: Arc::new(managed) })
    }
}

/// What the engine needs and the adapter has, but the device was created without.
fn lack(adapter: &wgpu::Adapter, device: &wgpu::Device) -> Option<String> {
    let lacking = (adapter.features() & NEEDED) - device.features();
    if !lacking.is_empty() {
        return Some(format!("the features {lacking}"));
    }
    let limits = device.limits();
    let offered = adapter.limits();
    let units = Shape::units_within(
        offered.max_compute_invocations_per_workgroup.min(offered.max_compute_workgroup_size_x),
        offered.max_compute_workgroup_storage_size as usize,
    );
    let most = |need: &dyn Fn(Kernel) -> usize| Kernel::all().into_iter().map(need).max().unwrap_or(0) as u32;
    let needs = [
        (limits.max_compute_invocations_per_workgroup, units, "units in a workgroup"),
        (limits.max_compute_workgroup_size_x, units, "units in a row"),
        (
            limits.max_compute_workgroup_storage_size,
            most(&|kernel| kernel.shared_bytes(units)),
            "bytes of shared memory",
        ),
        (
            limits.max_storage_buffers_per_shader_stage,
            most(&|kernel| kernel.buffers().len()) + 1,
            "buffers in a stage",
        ),
    ];
    needs.iter().find(|(has, needed, _)| has < needed).map(|(_, needed, what)| format!("{needed} {what}"))
}
