//! The GPUs of this machine, best first. OpenGL devices are excluded, because 64-bit keys fail there.

use super::axes::Tiles;
use super::failure::caught;
use crate::error::{Error, Result};
use cubecl::Device;
use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};
use cubecl::prelude::Client;
use std::sync::{Mutex, Once, PoisonError};

/// A GPU that can be opened, or a software driver that stands in for one.
#[derive(Debug, Clone)]
pub struct GpuInfo {
    /// The device as the engine names it.
    pub device: Device,
    /// The device's name, as reported by its driver.
    pub name: String,
    /// The API that reaches it: `Vulkan`, `Metal`, `Dx12`, `CUDA` or `HIP`.
    pub api: &'static str,
    /// The driver and its version, if they are known.
    pub driver: String,
    /// The kind of device.
    pub kind: GpuKind,
    /// Bytes of its own memory, if its driver says.
    pub memory: Option<u64>,
}

/// The kind of a device, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GpuKind {
    /// A card with its own memory.
    Discrete,
    /// A GPU that shares the processor's memory.
    Integrated,
    /// A GPU in a virtual machine.
    Virtual,
    /// A GPU that its driver does not classify.
    Other,
    /// Not a GPU: a driver that runs on the processor.
    Software,
}

/// Runs a task that creates or drops driver instances, one at a time: the drivers' loaders crash if two threads do so
/// at once.
pub(super) fn alone<R>(task: impl FnOnce() -> R) -> R {
    static INSTANCES: Mutex<()> = Mutex::new(());
    let _one_at_a_time = INSTANCES.lock().unwrap_or_else(PoisonError::into_inner);
    task()
}

/// Fixes the engine's settings before it first reads them. Otherwise it would take them from a file `cubecl.toml` or
/// `burn.toml` in the current directory, which could change its behaviour and make it write files. Settings that the
/// program made earlier stay, and environment variables still apply.
pub(super) fn settle_engine() {
    static SETTLED: Once = Once::new();
    SETTLED.call_once(|| {
        CubeClRuntimeConfig::try_set(CubeClRuntimeConfig::default().override_from_env());
    });
}

/// The tiles that suit a device.
///
/// # Errors
/// If it is an OpenGL device, or cannot be opened.
pub(super) fn tiles_of(device: &Device) -> Result<Tiles> {
    let is_software = match device {
        #[cfg(feature = "wgpu")]
        Device::Wgpu(named) => match wgpu::is_software(named) {
            Some(is_software) => is_software,
            None => kind_by_name(device)? == GpuKind::Software,
        },
        _ => false,
    };
    Ok(if is_software { Tiles::Direct } else { Tiles::Staged })
}

/// The kind of a device whose name for the engine does not tell it, such as the engine's default.
#[cfg(feature = "wgpu")]
fn kind_by_name(device: &Device) -> Result<GpuKind> {
    let name = client(device)?.properties().identity.name.clone();
    match list().into_iter().find(|gpu| gpu.name == name) {
        Some(gpu) => Ok(gpu.kind),
        None => Err(Error::Unsupported { what: "Vulkan, Metal or DirectX 12".into(), device: name }),
    }
}

/// All GPUs that the compiled-in runtimes reach, best first. GPUs of equal rank are in the order of their drivers.
///
/// A card that two runtimes reach is listed twice.
pub fn list() -> Vec<GpuInfo> {
    let mut gpus = Vec::new();
    #[cfg(feature = "cuda")]
    gpus.extend(cards("CUDA", &Device::Cuda(cubecl::device::CudaDevice::new(0))));
    #[cfg(feature = "hip")]
    gpus.extend(cards("HIP", &Device::Hip(cubecl::device::AmdDevice::new(0))));
    #[cfg(feature = "wgpu")]
    gpus.extend(alone(wgpu::list));
    gpus.sort_by_key(|gpu| gpu.kind);
    gpus
}

/// Opens the engine on a device.
///
/// # Errors
/// [`Error::CannotOpen`] if the engine cannot open it, [`Error::Unsupported`] if its driver cannot compile the kernels.
pub(super) fn client(device: &Device) -> Result<Client> {
    settle_engine();
    #[cfg(feature = "vulkan")]
    check_compiler(device)?;
    alone(|| caught(|| device.client()))
        .map_err(|reason| Error::CannotOpen { device: format!("{device:?}"), reason })
}

/// Checks that compiling the kernels, as the engine emits them for a device, will not crash its driver.
///
/// # Errors
/// If it would.
#[cfg(feature = "vulkan")]
fn check_compiler(device: &Device) -> Result<()> {
    match alone(|| wgpu::lack_for_spir_v(device)) {
        Some((device, what)) => Err(Error::Unsupported { what, device }),
        None => Ok(()),
    }
}

/// The cards that a vendor's own runtime can open.
#[cfg(any(feature = "cuda", feature = "hip"))]
fn cards(api: &'static str, first: &Device) -> Vec<GpuInfo> {
    settle_engine();
    let card = |id| {
        let device = Device::from_id(id);
        let name = client(&device).ok()?.properties().identity.name.clone();
        Some(GpuInfo { device, name, api, driver: api.to_owned(), kind: GpuKind::Discrete, memory: None })
    };
    Device::enumerate(first.to_id()).into_iter().filter_map(card).collect()
}

#[cfg(feature = "wgpu")]
mod wgpu {
    use super::{GpuInfo, GpuKind};
    use cubecl::Device;
    use cubecl::device::{WgpuBackend, WgpuDevice, WgpuDeviceKind};
    use cubecl::wgpu::wgpu::hal::api::Vulkan;
    use cubecl::wgpu::wgpu::{Adapter, AdapterInfo, Backend, DeviceType, Instance, InstanceDescriptor};

    const APIS: [(Backend, WgpuBackend, &str); 3] = [
        (Backend::Metal, WgpuBackend::Metal, "Metal"),
        (Backend::Vulkan, WgpuBackend::Vulkan, "Vulkan"),
        (Backend::Dx12, WgpuBackend::Dx12, "Dx12"),
    ];

    /// Whether a device is a software driver, if its name for the engine says so and excludes OpenGL.
    pub(super) fn is_software(device: &WgpuDevice) -> Option<bool> {
        let is_listed = APIS.iter().any(|(_, engine, _)| device.backend == *engine);
        let is_kind = !matches!(device.kind, WgpuDeviceKind::DefaultDevice | WgpuDeviceKind::Existing(_));
        (is_listed && is_kind).then_some(device.kind == WgpuDeviceKind::Cpu)
    }

    pub(super) fn list() -> Vec<GpuInfo> {
        all().map(|(gpu, _)| gpu).collect()
    }

    fn all() -> impl Iterator<Item = (GpuInfo, Adapter)> {
        APIS.into_iter().flat_map(|(backend, engine, api)| adapters(backend, engine, api))
    }

    /// The engine numbers the adapters of each kind separately, and reaches only the first software adapter.
    fn adapters(backend: Backend, engine: WgpuBackend, api: &'static str) -> Vec<(GpuInfo, Adapter)> {
        let instance = Instance::new(InstanceDescriptor {
            backends: backend.into(),
            ..InstanceDescriptor::new_without_display_handle()
        });
        let found = cubecl::future::block_on(instance.enumerate_adapters(backend.into()));
        let infos: Vec<AdapterInfo> = found.iter().map(Adapter::get_info).collect();
        let gpu = |(i, (info, adapter)): (usize, (&AdapterInfo, &Adapter))| {
            let index = infos[..i].iter().filter(|other| other.device_type == info.device_type).count();
            let (kind, engine_kind) = kind(info.device_type, index)?;
            Some(GpuInfo {
                device: Device::Wgpu(WgpuDevice::new(engine_kind).on(engine)),
                name: info.name.clone(),
                api,
                driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
                kind,
                memory: memory(adapter),
            })
        };
        let gpus: Vec<_> = infos.iter().zip(&found).enumerate().map(gpu).collect();
        gpus.into_iter().zip(found).filter_map(|(gpu, adapter)| Some((gpu?, adapter))).collect()
    }

    /// Bytes of the memory heaps that a Vulkan driver calls local to its device. A software driver has none.
    fn memory(adapter: &Adapter) -> Option<u64> {
        const DEVICE_LOCAL: u32 = 1;
        // SAFETY: the driver's adapter is only queried.
        let adapter = unsafe { adapter.as_hal::<Vulkan>() }?;
        let instance = adapter.shared_instance().raw_instance();
        // SAFETY: the physical device belongs to this instance.
        let memory = unsafe { instance.get_physical_device_memory_properties(adapter.raw_physical_device()) };
        let heaps = memory.memory_heaps_as_slice().iter();
        let bytes = heaps.filter(|heap| heap.flags.as_raw() & DEVICE_LOCAL > 0).map(|heap| heap.size).sum();
        Some(bytes).filter(|&bytes| bytes > 0)
    }

    /// The engine needs this extension for shared memory in SPIR-V. Without it, version 0.11.3 emits invalid modules,
    /// and drivers crash when they compile them.
    #[cfg(feature = "vulkan")]
    const SHARED_MEMORY: &std::ffi::CStr = c"VK_KHR_workgroup_memory_explicit_layout";

    /// The device's name and what it lacks for kernels in SPIR-V, if anything.
    #[cfg(feature = "vulkan")]
    pub(super) fn lack_for_spir_v(device: &Device) -> Option<(String, String)> {
        let (gpu, adapter) = all().find(|(gpu, _)| gpu.device == *device)?;
        // SAFETY: the driver's adapter is only queried.
        let adapter = unsafe { adapter.as_hal::<Vulkan>() }?;
        if adapter.physical_device_capabilities().supports_extension(SHARED_MEMORY) {
            return None;
        }
        let needed = SHARED_MEMORY.to_string_lossy();
        let what = format!("{needed}, which kernels as SPIR-V need; build without the feature `vulkan`");
        Some((gpu.name, what))
    }

    fn kind(device_type: DeviceType, index: usize) -> Option<(GpuKind, WgpuDeviceKind)> {
        Some(match device_type {
            DeviceType::DiscreteGpu => (GpuKind::Discrete, WgpuDeviceKind::DiscreteGpu(index)),
            DeviceType::IntegratedGpu => (GpuKind::Integrated, WgpuDeviceKind::IntegratedGpu(index)),
            DeviceType::VirtualGpu => (GpuKind::Virtual, WgpuDeviceKind::VirtualGpu(index)),
            DeviceType::Other => (GpuKind::Other, WgpuDeviceKind::Other(index)),
            DeviceType::Cpu if index == 0 => (GpuKind::Software, WgpuDeviceKind::Cpu),
            DeviceType::Cpu => return None,
        })
    }
}
