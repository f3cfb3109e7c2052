//! How a device is chosen: by its name, or as the best that there is.

use crate::device::Device;
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use gpu_lsm_primitives::gpu::devices::{self, GpuInfo, GpuKind};
#[cfg(feature = "gpu")]
use std::ffi::OsStr;
use std::str::FromStr;

/// The APIs that can be asked for, each with the feature that compiles it in.
const APIS: [(&str, &str, bool); 5] = [
    ("vulkan", "wgpu", cfg!(feature = "wgpu")),
    ("metal", "wgpu", cfg!(feature = "wgpu")),
    ("dx12", "wgpu", cfg!(feature = "wgpu")),
    ("cuda", "cuda", cfg!(feature = "cuda")),
    ("hip", "hip", cfg!(feature = "hip")),
];

impl Device {
    /// The best hardware GPU that can be opened, or the host if there is none; [`reason`](Self::reason) says which and
    /// why. Waits for the device once, to open it.
    ///
    /// ```
    /// use gpu_lsm::Device;
    /// let device = Device::auto();
    /// println!("{}: {}", device.name(), device.reason().expect("auto has one"));
    /// ```
    pub fn auto() -> Self {
        #[cfg(feature = "gpu")]
        return Self::best();
        #[cfg(not(feature = "gpu"))]
        Self::host().because(NO_ENGINE)
    }

    #[cfg(feature = "gpu")]
    fn best() -> Self {
        let (software, hardware): (Vec<_>, Vec<_>) =
            devices::list().into_iter().partition(|gpu| gpu.kind == GpuKind::Software);
        let mut refused = Vec::new();
        for gpu in &hardware {
            match Self::open(gpu) {
                Ok(device) if refused.is_empty() => return device.because("it is the best hardware GPU"),
                Ok(device) => return device.because(&refused.join("; ")),
                Err(error) => refused.push(error.to_string()),
            }
        }
        match software.first() {
            _ if !refused.is_empty() => Self::host().because(&refused.join("; ")),
            Some(driver) => Self::host().because(&format!(
                "there is no hardware GPU, only the software driver {}, which `gpu` would take",
                driver.name
            )),
            None => Self::host().because(&lack_of_drivers(None)),
        }
    }

    /// The best GPU, hardware first. Waits for the device once, to open it.
    ///
    /// ```no_run
    /// use gpu_lsm::Device;
    /// assert!(!Device::gpu()?.is_host());
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoGpu`] if there is none, with what to do about it.
    pub fn gpu() -> Result<Self> {
        "gpu".parse()
    }

    /// Why [`auto`](Self::auto) took this device; `None` if somebody asked for it.
    ///
    /// ```
    /// use gpu_lsm::Device;
    /// assert!(Device::auto().reason().is_some());
    /// assert!(Device::host().reason().is_none());
    /// ```
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn because(self, reason: &str) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }

    /// The GPU that a name in lower case means.
    #[cfg(feature = "gpu")]
    fn named(name: &str) -> Result<Option<Self>> {
        let gpus = devices::list();
        let number = name.strip_prefix("gpu:").and_then(|number| number.parse::<usize>().ok());
        let is_api = |gpu: &&GpuInfo| gpu.api.to_lowercase() == name;
        let found = match number {
            Some(number) => gpus.get(number),
            None if name == "gpu" => gpus.first(),
            None if APIS.iter().any(|(api, ..)| *api == name) => gpus.iter().find(is_api),
            None => gpus.iter().find(|gpu| !name.is_empty() && gpu.name.to_lowercase().contains(name)),
        };
        found.map(Self::open).transpose()
    }

    #[cfg(not(feature = "gpu"))]
    fn named(_: &str) -> Result<Option<Self>> {
        Ok(None)
    }
}

/// [`Device::auto`].
impl Default for Device {
    fn default() -> Self {
        Self::auto()
    }
}

impl FromStr for Device {
    type Err = Error;

    /// Finds the device with this name; see [`Device`]. Waits for a GPU once, to open it.
    fn from_str(asked: &str) -> Result<Self> {
        let name = asked.to_lowercase();
        match name.as_str() {
            "auto" => Ok(Self::auto()),
            "host" => Ok(Self::host()),
            name => Self::named(name)?.ok_or_else(|| lack_of(asked, name)),
        }
    }
}

/// Why there is no device of this name.
fn lack_of(asked: &str, name: &str) -> Error {
    let api = APIS.iter().find(|(api, ..)| *api == name);
    if let Some((_, feature, false)) = api {
        return Error::NotCompiled { asked: asked.into(), feature };
    }
    let list = Device::list();
    if list.len() == 1 && (api.is_some() || name == "gpu" || name.starts_with("gpu:")) {
        return Error::NoGpu { why: lack_of_drivers(api.map(|(api, ..)| *api)) };
    }
    let available: Vec<_> = list.iter().map(ToString::to_string).collect();
    Error::NoSuchDevice { asked: asked.into(), available: available.join("; ") }
}

#[cfg(not(feature = "gpu"))]
const NO_ENGINE: &str = "this program was built without a GPU engine; build it with the feature `wgpu`";

/// Why no GPU was found, of an API if one was asked for.
#[cfg(not(feature = "gpu"))]
fn lack_of_drivers(_: Option<&str>) -> String {
    NO_ENGINE.into()
}

/// Why no GPU was found, of an API if one was asked for.
#[cfg(feature = "gpu")]
fn lack_of_drivers(api: Option<&str>) -> String {
    match api {
        Some("cuda") => "CUDA found no GPU; install NVIDIA's driver and the CUDA toolkit".into(),
        Some("hip") => "HIP found no GPU; install AMD's driver and ROCm".into(),
        _ if !cfg!(feature = "wgpu") => {
            "no runtime of this build found a GPU; install its driver and toolkit".into()
        }
        _ => misleading_variable().unwrap_or_else(|| {
            "no driver for Vulkan, Metal or DirectX 12 was found; install your GPU's driver, or a software one such as \
             mesa-vulkan-drivers"
                .into()
        }),
    }
}

/// What is wrong with a variable that hides drivers from Vulkan's loader, if one is set. It is easy to forget that it is.
#[cfg(feature = "gpu")]
fn misleading_variable() -> Option<String> {
    let is_set = |name| Some((name, std::env::var_os(name)?));
    let (variable, files) = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].into_iter().find_map(is_set)?;
    Some(misleading(variable, &files))
}

#[cfg(feature = "gpu")]
fn misleading(variable: &str, files: &OsStr) -> String {
    let list = files.to_string_lossy();
    if list.is_empty() {
        return format!("{variable} is set and names no driver, which hides all of them; unset it");
    }
    let has_file = std::env::split_paths(files).any(|file| file.exists());
    let fault = if has_file { "which offers no GPU" } else { "where no driver is" };
    format!("{variable} names {list}, {fault}; correct or unset it")
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::{lack_of_drivers, misleading};

    #[test]
    fn what_is_missing_belongs_to_the_api_that_was_asked_for() {
        for (api, names, others) in [("cuda", "NVIDIA", "Vulkan"), ("hip", "ROCm", "Vulkan")] {
            let why = lack_of_drivers(Some(api));
            assert!(why.contains(names) && !why.contains(others), "{why}");
        }
    }

    #[test]
    fn a_variable_that_hides_drivers_is_named_with_what_is_wrong() {
        for (files, fault) in
            [("", "is set and names no driver"), ("/nothing.json", "names /nothing.json, where no driver is")]
        {
            let why = misleading("VK_DRIVER_FILES", files.as_ref());
            assert!(
                why.starts_with("VK_DRIVER_FILES ") && why.contains(fault) && why.ends_with("unset it"),
                "{why}"
            );
        }
    }
}
