//! Devices: how to list and choose them, and what each can hold.

use crate::backed::{Backed, DeviceHandle, Devices, HostDevice, Residence, on_backend};
use crate::error::Result;
#[cfg(feature = "gpu")]
use gpu_lsm_primitives::gpu::{
    Gpu,
    devices::{self, GpuInfo, GpuKind},
};
use gpu_lsm_primitives::host::{Host, Threads};
use gpu_lsm_primitives::{Backend, Meter};
use std::fmt;
use std::sync::Arc;

/// The place where a dictionary lives: the host's own cores or a GPU, chosen at run time.
///
/// | name | device |
/// |---|---|
/// | `auto` | the best hardware GPU, else the host |
/// | `host` | the host |
/// | `gpu` | the best GPU; a software driver if there is no hardware |
/// | `gpu:1` | the second GPU of [`Device::list`] |
/// | `vulkan`, `metal`, `dx12`, `cuda`, `hip` | the best GPU that this API reaches |
/// | anything else | the best GPU whose name contains this text |
///
/// Names are not case-sensitive.
///
/// Clones are the same device, and everything made on a device holds a clone of it. Dropping the last clone waits until
/// the device has finished its work.
///
/// GPUs are driven by CubeCL, whose settings apply to the whole program. If the program has set them through CubeCL
/// before it opens a GPU here, they stay. Otherwise they are CubeCL's defaults, as changed by the environment variables
/// that CubeCL documents (for instance `CUBECL_DEBUG_LOG`). A file `cubecl.toml` or `burn.toml` in the directory that
/// the program was started in, or in one above it, is not read. A program that wants it read must ask CubeCL for its
/// settings first.
///
/// ```
/// use gpu_lsm::Device;
/// let device: Device = "host".parse()?;
/// assert!(device.is_host());
/// assert!("no such card".parse::<Device>().is_err());
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
#[derive(Clone)]
pub struct Device {
    pub(crate) opened: Backed<Devices>,
    /// Why `auto` took it, if it did.
    pub(crate) reason: Option<Arc<str>>,
}

impl Device {
    /// The host's own cores.
    ///
    /// ```
    /// assert!(gpu_lsm::Device::host().is_host());
    /// ```
    pub const fn host() -> Self {
        Self::host_with_arrays_of_at_most(u32::MAX as u64)
    }

    /// The host's own cores, with a lower limit on the length of arrays, for tests that exceed it.
    #[doc(hidden)]
    pub const fn host_with_arrays_of_at_most(largest: u64) -> Self {
        Self::new(Backed::Host(HostDevice { largest, threads: Threads::SHARED }))
    }

    /// The host with this many threads of its own; as many as there are processors if it is zero. Other host devices
    /// share the threads that rayon has for the whole program. Does not wait.
    ///
    /// ```
    /// use gpu_lsm::{Device, Dictionary};
    /// let quiet = Device::host_with_threads(1)?;
    /// let mut dictionary = Dictionary::<u32, u32>::new(&quiet)?;
    /// dictionary.insert(&[1, 2], &[10, 20])?;
    /// assert_eq!(dictionary.get(2)?, Some(20));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Such devices are equal to every other host device: each can use the other's buffers.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn host_with_threads(threads: usize) -> Result<Self> {
        let threads = Threads::own(threads)?;
        Ok(Self::new(Backed::Host(HostDevice { largest: u64::from(u32::MAX), threads })))
    }

    /// The device's name: `host`, or the name that its driver gives.
    ///
    /// ```
    /// assert_eq!(gpu_lsm::Device::host().name(), "host");
    /// ```
    pub fn name(&self) -> &str {
        on_backend!(&self.opened, device => DeviceHandle::name(device))
    }

    /// Whether this is the host.
    ///
    /// ```
    /// use gpu_lsm::Device;
    /// assert!(Device::host().is_host());
    /// println!("a GPU is used: {}", !Device::auto().is_host());
    /// ```
    pub fn is_host(&self) -> bool {
        Host::of(&self.opened).is_some()
    }

    /// The backend of a GPU, `None` for the host. Benches use it to run other structures on the same device.
    #[doc(hidden)]
    #[cfg(feature = "gpu")]
    pub fn as_gpu(&self) -> Option<&Gpu> {
        Gpu::of(&self.opened)
    }

    /// What the device can hold and do.
    ///
    /// ```
    /// use gpu_lsm::Device;
    /// let limits = Device::host().limits();
    /// assert!(limits.has_u64_keys);
    /// assert!(limits.entries_u64 > 1_000_000_000);
    /// ```
    pub fn limits(&self) -> Limits {
        on_backend!(&self.opened, device => Limits::of(device))
    }

    /// The host, then the GPUs, best first.
    ///
    /// ```
    /// use gpu_lsm::Device;
    /// for device in Device::list() {
    ///     println!("{}: {}", device.selector, device.name);
    /// }
    /// ```
    pub fn list() -> Vec<DeviceInfo> {
        let host = DeviceInfo {
            selector: "host".into(),
            name: "host".into(),
            api: "rayon".into(),
            driver: format!("{} threads", std::thread::available_parallelism().map_or(1, usize::from)),
            kind: "processor",
            memory: gpu_lsm_primitives::host::memory(),
        };
        #[cfg(feature = "gpu")]
        let gpus = devices::list().into_iter().enumerate().map(|(i, gpu)| DeviceInfo {
            selector: format!("gpu:{i}"),
            name: gpu.name,
            api: gpu.api.into(),
            driver: gpu.driver,
            kind: match gpu.kind {
                GpuKind::Discrete => "discrete GPU",
                GpuKind::Integrated => "integrated GPU",
                GpuKind::Virtual => "virtual GPU",
                GpuKind::Other => "GPU",
                GpuKind::Software => "software",
            },
            memory: gpu.memory,
        });
        #[cfg(not(feature = "gpu"))]
        let gpus = std::iter::empty();
        std::iter::once(host).chain(gpus).collect()
    }

    #[cfg(feature = "gpu")]
    pub(crate) fn open(gpu: &GpuInfo) -> Result<Self> {
        Ok(Self::new(Backed::Gpu(Gpu::open(&gpu.device, Meter::new(None))?)))
    }

    pub(crate) const fn new(opened: Backed<Devices>) -> Self {
        Self { opened, reason: None }
    }
}

/// Devices are equal if each can use the other's buffers.
impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        on_backend!(&self.opened, device => device.is_among(&other.opened))
    }
}
impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.name()).finish()
    }
}

/// A device to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// A name that [`Device`] parses to this device.
    pub selector: String,
    /// The device's name, as its driver gives it.
    pub name: String,
    /// The API that reaches it, for instance `Vulkan`.
    pub api: String,
    /// The driver and its version.
    pub driver: String,
    /// The kind of device, for instance `discrete GPU`.
    pub kind: &'static str,
    /// Bytes of its own memory, or of the host's; `None` if it is not known.
    pub memory: Option<u64>,
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {}, {})", self.selector, self.name, self.api, self.kind)
    }
}

/// What a device can hold and do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The most entries with 32-bit keys and 32-bit values that one run can have.
    pub entries_u32: u64,
    /// The most entries with 64-bit keys and 64-bit values that one run can have.
    pub entries_u64: u64,
    /// Whether it can hold 64-bit keys.
    pub has_u64_keys: bool,
    /// On a GPU, the smallest and the largest subgroup: the number of threads that run in step.
    pub plane_sizes: Option<(u32, u32)>,
}

impl Limits {
    fn of(device: &impl DeviceHandle) -> Self {
        let backend = device.backend(Meter::new(None));
        Self {
            entries_u32: backend.max_len(4),
            entries_u64: backend.max_len(8),
            has_u64_keys: backend.supports::<u64>().is_ok(),
            plane_sizes: device.plane_sizes(),
        }
    }
}
