//! For proofs: all kernels, the engine's definitions of them, and a record of which kernels were launched.

use super::device::Gpu;
use super::hook::{Hook, Launched, Memory, Runner};
use super::registry::Kernel;
use super::table::Instance;
use crate::error::{Error, Result};
use cubecl::prelude::{ExecutionMode, KernelDefinition};
use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The environment variable that names a folder. Each launched kernel gets a file there, with one byte per process that
/// launched it.
const LAUNCHED: &str = "GPU_LSM_LAUNCHED";

/// All instances of all kernels: first the library's own, then those of the baselines, if they are compiled in.
pub fn kernels() -> Vec<Box<dyn Instance>> {
    let own = Kernel::all().into_iter().map(|kernel| Box::new(kernel) as Box<dyn Instance>);
    own.chain(of_baselines()).collect()
}

#[cfg(feature = "baselines")]
fn of_baselines() -> impl Iterator<Item = Box<dyn Instance>> {
    let all = super::baselines::registry::BaselineKernel::all();
    all.into_iter().map(|kernel| Box::new(kernel) as Box<dyn Instance>)
}

#[cfg(not(feature = "baselines"))]
fn of_baselines() -> impl Iterator<Item = Box<dyn Instance>> {
    std::iter::empty()
}

/// The engine's definition of a kernel, for launches without bounds checks, as all launches are.
///
/// # Errors
/// If the device has no memory for the buffer that stands in for the arguments.
pub fn definition_of(gpu: &Gpu, kernel: &dyn Instance) -> Result<KernelDefinition> {
    let any = gpu.empty::<u64>(16)?.all();
    let mut definition = kernel.definition(gpu.client(), gpu.shape().units, &any);
    definition.settings.execution_mode = ExecutionMode::Unchecked;
    Ok(definition)
}

/// The bytes of shared memory that one cube of a kernel uses on this device.
pub fn shared_bytes(gpu: &Gpu, kernel: &dyn Instance) -> usize {
    kernel.shared_bytes(gpu.shape().units)
}

/// Records which kernels were launched.
pub(super) struct LaunchRecord {
    folder: PathBuf,
}

impl LaunchRecord {
    /// The record that the environment asks for.
    pub(super) fn from_environment() -> Option<Self> {
        std::env::var_os(LAUNCHED).map(|folder| Self { folder: folder.into() })
    }

    fn note(&self, kernel: &str) -> std::io::Result<()> {
        let file = File::options().create(true).append(true).open(self.folder.join(kernel));
        file?.write_all(b".")
    }
}

impl Hook for LaunchRecord {
    fn launch(&self, launch: &Launched<'_>, _memory: &dyn Memory) -> Result<Runner> {
        // Once per process, however many devices it opens.
        static NOTED: Mutex<Option<HashSet<String>>> = Mutex::new(None);
        let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
        let kernel = launch.kernel.to_string();
        if noted.get_or_insert_default().insert(kernel.clone()) {
            let failed = |error| Error::Failed { message: format!("{LAUNCHED}, {kernel}: {error}") };
            self.note(&kernel).map_err(failed)?;
        }
        Ok(Runner::Next)
    }
}
