//! Devices: listing them, choosing one as a person would, and what each can hold.

use crate::backed::{Backed, Devices, HostDevice, OpenDevice, Residence, on_backend};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use gpu_lsm_primitives::gpu::{
    Gpu,
    devices::{self, GpuInfo, GpuKind},
};
use gpu_lsm_primitives::host::Host;
use gpu_lsm_primitives::{Backend, Meter};
use std::fmt;
use std::str::FromStr;

/// Where a dictionary lives: the host's own cores, or a GPU. A value, chosen at run time; clones are the same device.
///
/// | name | device |
/// |---|---|
/// | `auto` | the best hardware GPU, else the host |
/// | `host` | the host |
/// | `gpu` | the best GPU, a software driver where there is nothing better |
/// | `gpu:1` | the second one of [`Device::list`] |
/// | anything else | the best GPU with this in its name |
///
/// Upper and lower case are alike.
///
/// Clones share the device, and what was made on it keeps one. Dropping the last waits until the device has done its work.
///
/// A GPU is driven by CubeCL, whose settings are one for the whole program: those that the program has set with
/// CubeCL's own calls before it opened a GPU here, else its defaults, changed by the variables of the environment that
/// CubeCL documents (`CUBECL_DEBUG_LOG` for one). A file `cubecl.toml` or `burn.toml` in the directory that the program
/// was started in, or in one above it, is not read; a program that wants it read asks CubeCL for its settings first.
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
}

impl Device {
    /// The host's own cores.
    pub const fn host() -> Self {
        Self::host_with_arrays_of_at_most(u32::MAX as u64)
    }

    /// The host's own cores, with arrays of fewer elements than they could have: for tests of what is past the largest.
    #[doc(hidden)]
    pub const fn host_with_arrays_of_at_most(largest: u64) -> Self {
        Self { opened: Backed::Host(HostDevice { largest }) }
    }

    /// The best hardware GPU; the host where there is none, or where none can be opened.
    pub fn auto() -> Self {
        #[cfg(feature = "gpu")]
        for gpu in devices::list().iter().filter(|gpu| gpu.kind != GpuKind::Software) {
            if let Ok(device) = Self::open(gpu) {
                return device;
            }
        }
        Self::host()
    }

    /// The best GPU, hardware first.
    ///
    /// # Errors
    /// [`Error::NoSuchDevice`] where there is none.
    pub fn gpu() -> Result<Self> {
        "gpu".parse()
    }

    /// The device's name: `host`, or what its driver calls it.
    pub fn name(&self) -> &str {
        on_backend!(&self.opened, device => OpenDevice::name(device))
    }

    /// Whether this is the host.
    pub fn is_host(&self) -> bool {
        Host::of(&self.opened).is_some()
    }

    /// The backend behind a GPU, nothing for the host: for benches, which run other structures on the same device.
    #[doc(hidden)]
    #[cfg(feature = "gpu")]
    pub fn as_gpu(&self) -> Option<&Gpu> {
        Gpu::of(&self.opened)
    }

    /// What the device can hold and do.
    pub fn limits(&self) -> Limits {
        on_backend!(&self.opened, device => Limits::of(device))
    }

    /// The host, and then the GPUs, best first.
    pub fn list() -> Vec<DeviceInfo> {
        let host = DeviceInfo {
            selector: "host".into(),
            name: "host".into(),
            api: "rayon".into(),
            driver: format!("{} threads", std::thread::available_parallelism().map_or(1, usize::from)),
            kind: "processor",
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
        });
        #[cfg(not(feature = "gpu"))]
        let gpus = std::iter::empty();
        std::iter::once(host).chain(gpus).collect()
    }

    #[cfg(feature = "gpu")]
    fn open(gpu: &GpuInfo) -> Result<Self> {
        Ok(Self { opened: Backed::Gpu(Gpu::open(&gpu.device, Meter::new(None))?) })
    }

    /// The GPU that `asked` means, where there is one.
    #[cfg(feature = "gpu")]
    fn find_gpu(asked: &str) -> Option<GpuInfo> {
        let mut gpus = devices::list();
        let at = match asked.strip_prefix("gpu:") {
            _ if asked.is_empty() => None,
            _ if asked == "gpu" => Some(0),
            Some(number) => number.parse().ok(),
            None => gpus.iter().position(|gpu| gpu.name.to_lowercase().contains(asked)),
        };
        at.filter(|&at| at < gpus.len()).map(|at| gpus.swap_remove(at))
    }

    #[cfg(not(feature = "gpu"))]
    fn named_gpu(_: &str) -> Option<Result<Self>> {
        None
    }

    #[cfg(feature = "gpu")]
    fn named_gpu(asked: &str) -> Option<Result<Self>> {
        Self::find_gpu(asked).map(|gpu| Self::open(&gpu))
    }
}

impl FromStr for Device {
    type Err = Error;

    /// Finds the device that a name means; see [`Device`].
    fn from_str(asked: &str) -> Result<Self> {
        match asked.to_lowercase().as_str() {
            "auto" => Ok(Self::auto()),
            "host" => Ok(Self::host()),
            lowercase => Self::named_gpu(lowercase).unwrap_or_else(|| {
                let available: Vec<_> = Self::list().iter().map(ToString::to_string).collect();
                Err(Error::NoSuchDevice { asked: asked.into(), available: available.join("; ") })
            }),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.name()).finish()
    }
}

/// A device that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// A name that [`Device`] parses to it.
    pub selector: String,
    /// The device's name, as its driver gives it.
    pub name: String,
    /// How it is reached, for instance `Vulkan`.
    pub api: String,
    /// The driver and its version.
    pub driver: String,
    /// What it is, for instance `discrete GPU`.
    pub kind: &'static str,
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
    /// The smallest and the largest number of units that run in step, on a GPU.
    pub plane_sizes: Option<(u32, u32)>,
}

impl Limits {
    fn of(device: &impl OpenDevice) -> Self {
        let backend = device.backend(Meter::new(None));
        Self {
            entries_u32: backend.max_len(4),
            entries_u64: backend.max_len(8),
            has_u64_keys: backend.supports::<u64>().is_ok(),
            plane_sizes: device.plane_sizes(),
        }
    }
}
