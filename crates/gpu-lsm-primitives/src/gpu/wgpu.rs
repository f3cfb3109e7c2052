//! A caller's own wgpu device.

use super::axes::Tiles;
use super::callbacks::Callbacks;
use super::device::Gpu;
use super::devices;
use super::registry::Kernel;
use super::shape::Shape;
use super::table::Instance;
use crate::error::{Error, Result};
use crate::meter::Meter;
pub use cubecl::wgpu::wgpu;
use cubecl::wgpu::{MemoryConfiguration, RuntimeOptions, WgpuInitError, WgpuSetup, try_init_device};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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

/// A device that a program shares.
#[derive(Clone)]
struct Shared {
    instance: wgpu::Instance,
    device: wgpu::Device,
    /// The device as the engine names it.
    engine: cubecl::Device,
    /// The reason for its loss, once it is known.
    lost: Arc<OnceLock<String>>,
}

/// The devices that were shared so far. The engine would take the same device twice, as two that cannot use each
/// other's memory.
///
/// Entries stay, because the engine keeps every device that it was given until the program ends. So no later device
/// can be mistaken for an earlier one, although wgpu numbers devices anew in each instance.
static SHARED: Mutex<Vec<Shared>> = Mutex::new(Vec::new());

impl Gpu {
    /// Opens a caller's own device. If the caller has callbacks, they are called beside the engine's, in place of those
    /// of an earlier call. Waits for the device once. A device that was opened before is the same device again.
    ///
    /// # Errors
    /// [`Error::CannotShare`] if the device lacks features that [`descriptor`] asks for, if it is an OpenGL device, if
    /// the engine would compile for it to anything but WGSL, or if the engine cannot use it; [`Error::DeviceLost`] if it
    /// is lost.
    pub fn share(
        instance: &wgpu::Instance,
        adapter: &wgpu::Adapter,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        callbacks: Option<Callbacks>,
        meter: Arc<Meter>,
    ) -> Result<Self> {
        check(adapter, device)?;
        let setup = WgpuSetup {
            instance: instance.clone(),
            adapter: adapter.clone(),
            device: device.clone(),
            queue: queue.clone(),
            backend: adapter.get_info().backend,
        };
        let shared = registered(setup).map_err(|reason| cannot_share(adapter, reason))?;
        let is_software = adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        let tiles = if is_software { Tiles::Direct } else { Tiles::Staged };
        let gpu = Self::open_shared(&shared.engine, meter, tiles, Arc::clone(&shared.lost))?;
        if let Some(callbacks) = callbacks {
            callbacks.set(device, gpu.engine_thread()?, shared.lost);
        }
        Ok(gpu)
    }
}

/// The device as the engine knows it. If the engine does not know it yet, registers it.
fn registered(setup: WgpuSetup) -> Result<Shared, String> {
    let mut all = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all.iter().find(|known| known.instance == setup.instance && known.device == setup.device);
    if let Some(known) = known {
        return Ok(known.clone());
    }
    let (instance, device) = (setup.instance.clone(), setup.device.clone());
    devices::settle_engine();
    let refused = |error: WgpuInitError| format!("the engine refuses it: {error}");
    let defaults = RuntimeOptions::try_default().map_err(refused)?;
    // Each array is a wgpu buffer of its own: a pass cannot read one part of a buffer and write another.
    let options = RuntimeOptions { memory_config: MemoryConfiguration::ExclusivePages, ..defaults };
    let engine = devices::alone(|| try_init_device(setup, options)).map_err(refused)?;
    let shared = Shared { instance, device, engine: cubecl::Device::Wgpu(engine), lost: Arc::default() };
    all.push(shared.clone());
    Ok(shared)
}

fn cannot_share(adapter: &wgpu::Adapter, reason: String) -> Error {
    Error::CannotShare { device: adapter.get_info().name, reason }
}

/// Checks that the engine can use a device, and compiles for it to WGSL.
fn check(adapter: &wgpu::Adapter, device: &wgpu::Device) -> Result<()> {
    let reason = match adapter.get_info().backend {
        wgpu::Backend::Gl => "OpenGL is never used; make the instance with \
             `Backends::VULKAN | Backends::METAL | Backends::DX12`"
            .into(),
        wgpu::Backend::Vulkan if cfg!(feature = "vulkan") => compiles_natively("vulkan"),
        wgpu::Backend::Metal if cfg!(feature = "metal") => compiles_natively("metal"),
        _ => match lack(adapter, device) {
            Some(lack) => {
                format!("it was made without {lack}; request it with `interop::descriptor(&adapter)`")
            }
            None => return Ok(()),
        },
    };
    Err(cannot_share(adapter, reason))
}

/// Why a device is refused if the engine compiles to its own language: it might lack extensions that wgpu does not name.
fn compiles_natively(feature: &str) -> String {
    format!(
        "kernels reach it only through WGSL, and the feature `{feature}` of gpu-lsm bypasses that; build without it, or \
         let the engine make the device, by `Device::gpu`"
    )
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
