//! The GPUs of this machine, best first. OpenGL is never among them: 64-bit keys fail there.

use cubecl::Device;
#[cfg(any(feature = "cuda", feature = "hip"))]
use cubecl::device::{AmdDevice, CudaDevice};
use std::sync::Mutex;

/// A GPU that can be opened, or a driver that stands in for one.
#[derive(Debug, Clone)]
pub struct GpuInfo {
    /// What the engine opens.
    pub device: Device,
    /// The device's name, as its driver gives it.
    pub name: String,
    /// How it is reached: `Vulkan`, `Metal`, `Dx12`, `CUDA` or `HIP`.
    pub api: &'static str,
    /// The driver and its version, where they are known.
    pub driver: String,
    /// What it is.
    pub kind: GpuKind,
}

/// What a device is, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GpuKind {
    /// A card with memory of its own.
    Discrete,
    /// A GPU that shares the processor's memory.
    Integrated,
    /// A GPU in a virtual machine.
    Virtual,
    /// A GPU that its driver does not classify.
    Other,
    /// No GPU: a driver that runs on the processor.
    Software,
}

/// Drivers' loaders crash where two threads enumerate at once.
static ENUMERATION: Mutex<()> = Mutex::new(());

/// All GPUs that the compiled-in runtimes reach, best first; those of equal rank in the order of their drivers.
pub fn list() -> Vec<GpuInfo> {
    let _one_at_a_time = ENUMERATION.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut gpus = Vec::new();
    #[cfg(feature = "cuda")]
    gpus.extend(vendor("CUDA", &Device::Cuda(CudaDevice::new(0))));
    #[cfg(feature = "hip")]
    gpus.extend(vendor("HIP", &Device::Hip(AmdDevice::new(0))));
    #[cfg(feature = "wgpu")]
    gpus.extend(wgpu::list());
    gpus.sort_by_key(|gpu| gpu.kind);
    gpus
}

/// The devices of a vendor's own runtime, which are all cards.
#[cfg(any(feature = "cuda", feature = "hip"))]
fn vendor(api: &'static str, first: &Device) -> Vec<GpuInfo> {
    let card = |id: cubecl::device::DeviceId| GpuInfo {
        device: Device::from_id(id),
        name: format!("{api} device {}", id.index_id),
        api,
        driver: api.to_owned(),
        kind: GpuKind::Discrete,
    };
    Device::enumerate(first.to_id()).into_iter().map(card).collect()
}

#[cfg(feature = "wgpu")]
mod wgpu {
    use super::{GpuInfo, GpuKind};
    use cubecl::Device;
    use cubecl::device::{WgpuBackend, WgpuDevice, WgpuDeviceKind};
    use cubecl::wgpu::wgpu::{Adapter, AdapterInfo, Backend, DeviceType, Instance, InstanceDescriptor};

    const APIS: [(Backend, WgpuBackend, &str); 3] = [
        (Backend::Metal, WgpuBackend::Metal, "Metal"),
        (Backend::Vulkan, WgpuBackend::Vulkan, "Vulkan"),
        (Backend::Dx12, WgpuBackend::Dx12, "Dx12"),
    ];

    pub(super) fn list() -> Vec<GpuInfo> {
        APIS.into_iter().flat_map(|(backend, engine, api)| adapters(backend, engine, api)).collect()
    }

    /// The engine counts the adapters of each kind apart, and reaches only the first software one.
    fn adapters(backend: Backend, engine: WgpuBackend, api: &'static str) -> Vec<GpuInfo> {
        let instance = Instance::new(InstanceDescriptor {
            backends: backend.into(),
            ..InstanceDescriptor::new_without_display_handle()
        });
        let found = cubecl::future::block_on(instance.enumerate_adapters(backend.into()));
        let infos: Vec<AdapterInfo> = found.iter().map(Adapter::get_info).collect();
        let gpu = |(i, info): (usize, &AdapterInfo)| {
            let index = infos[..i].iter().filter(|other| other.device_type == info.device_type).count();
            let (kind, engine_kind) = kind(info.device_type, index)?;
            Some(GpuInfo {
                device: Device::Wgpu(WgpuDevice::new(engine_kind).on(engine)),
                name: info.name.clone(),
                api,
                driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
                kind,
            })
        };
        infos.iter().enumerate().filter_map(gpu).collect()
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
