//! A caller's own wgpu device, and arrays as wgpu's buffers. The only place with wgpu's types in public.

use super::array::GpuArray;
use super::devices;
use super::launch::Gpu;
use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::tuning::UNITS;
use crate::value::Plain;
pub use cubecl::wgpu::wgpu;
use cubecl::wgpu::{AutoCompiler, RuntimeOptions, WgpuServer, WgpuSetup, try_init_device};
use std::sync::Arc;

/// What a device must be made with, to be shared.
pub fn descriptor(adapter: &wgpu::Adapter) -> wgpu::DeviceDescriptor<'static> {
    wgpu::DeviceDescriptor {
        required_features: adapter.features() & NEEDED,
        required_limits: adapter.limits(),
        ..wgpu::DeviceDescriptor::default()
    }
}

/// What the engine takes for granted where the adapter has it: 64-bit keys and time stamps.
const NEEDED: wgpu::Features = wgpu::Features::SHADER_INT64.union(wgpu::Features::TIMESTAMP_QUERY);

/// A part of a wgpu buffer that holds an array. The rest of the buffer is not the array's.
#[derive(Debug, Clone)]
pub struct Part {
    /// The buffer.
    pub buffer: wgpu::Buffer,
    /// The first byte of the array.
    pub offset: u64,
    /// How many bytes the array has.
    pub size: u64,
}

impl Gpu {
    /// Takes a caller's own device into use. To be called once for each.
    ///
    /// # Errors
    /// [`Error::CannotOpen`] where the device lacks what [`descriptor`] asks for, or the engine can't take it.
    pub fn share(
        instance: &wgpu::Instance,
        adapter: &wgpu::Adapter,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        meter: Arc<Meter>,
    ) -> Result<Self> {
        let cannot_open = |reason: String| Error::CannotOpen { device: adapter.get_info().name, reason };
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
            backend: adapter.get_info().backend,
        };
        let options = RuntimeOptions::try_default().map_err(|error| cannot_open(error.to_string()))?;
        let shared = devices::alone(|| try_init_device(setup, options));
        let shared = shared.map_err(|error| cannot_open(error.to_string()))?;
        Self::open(&cubecl::Device::Wgpu(shared), meter)
    }

    /// The part of a wgpu buffer that an array lives in; all work on it is handed to the queue. Does not wait.
    ///
    /// # Errors
    /// Where the work that was to write the array failed, or the device is none of wgpu's.
    pub fn part<T: Plain>(&self, array: &GpuArray<T>) -> Result<Part> {
        self.guarded(|| self.client().flush())?.map_err(|error| self.engine_error(&error))?;
        let memory = array.all().memory;
        let managed = self
            .guarded(|| self.client().get_resource::<WgpuServer<AutoCompiler>>(memory))?
            .map_err(|error| self.engine_error(&error))?;
        let resource = managed.resource();
        Ok(Part { buffer: resource.buffer.clone(), offset: resource.offset, size: resource.size })
    }
}

/// What a device was made without, of what its adapter has and the engine takes for granted.
fn lack(adapter: &wgpu::Adapter, device: &wgpu::Device) -> Option<String> {
    let lacking = (adapter.features() & NEEDED) - device.features();
    if !lacking.is_empty() {
        return Some(format!("the features {lacking}"));
    }
    let units = device.limits().max_compute_invocations_per_workgroup;
    (units < UNITS).then(|| format!("{UNITS} units in a workgroup"))
}
