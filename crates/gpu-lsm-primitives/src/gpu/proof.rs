//! What proofs need: kernels by name, what the engine compiles for them, and a record of those that were launched.

use super::launch::Gpu;
use super::registry::{Kernel, Launch, definition};
use crate::error::{Error, Result};
use cubecl::prelude::{ExecutionMode, KernelDefinition};
use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// More numbers than any kernel takes.
const NUMBERS: usize = 4;
/// The variable that names the folder in which each kernel has a file, with a byte for each process that launched it.
const LAUNCHED: &str = "GPU_LSM_LAUNCHED";

/// What the engine compiles for a kernel, for launches without checks, as all launches are.
///
/// # Errors
/// Where the device has no room for the buffers that stand in for arguments.
pub fn definition_of(gpu: &Gpu, kernel: Kernel) -> Result<KernelDefinition> {
    let any = gpu.empty::<u64>(16)?.all();
    let launch = Launch { kernel, buffers: vec![any; kernel.buffers()], numbers: vec![0; NUMBERS], units: 1 };
    let mut definition = definition(gpu.client(), &launch, gpu.shape().units);
    definition.settings.execution_mode = ExecutionMode::Unchecked;
    Ok(definition)
}

/// Bytes of shared memory that a cube of a kernel has on this device.
pub fn shared_bytes(gpu: &Gpu, kernel: Kernel) -> usize {
    kernel.shared_bytes(gpu.shape().units)
}

/// The kernel as a file is called: `MergeShadowed(U64)` is `merge_shadowed_u64`.
pub fn name_of(kernel: Kernel) -> String {
    let mut name = String::new();
    let mut was_lower = false;
    for letter in format!("{kernel:?}").chars() {
        if letter.is_ascii_alphanumeric() {
            if letter.is_ascii_uppercase() && was_lower {
                name.push('_');
            }
            was_lower = !letter.is_ascii_uppercase();
            name.push(letter.to_ascii_lowercase());
        } else if letter != ')' && !name.ends_with('_') {
            name.push('_');
            was_lower = false;
        }
    }
    name.trim_end_matches('_').to_owned()
}

/// Notes that a kernel was launched, where the environment asks for that.
pub(super) fn note_launch(kernel: Kernel) -> Result<()> {
    static NOTED: Mutex<Option<HashSet<Kernel>>> = Mutex::new(None);
    let Some(folder) = std::env::var_os(LAUNCHED) else { return Ok(()) };
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    if noted.get_or_insert_default().insert(kernel) {
        let file = Path::new(&folder).join(name_of(kernel));
        let file_of_kernel = File::options().create(true).append(true).open(&file);
        file_of_kernel
            .and_then(|mut file| file.write_all(b"."))
            .map_err(|error| Error::Failed { message: format!("{}: {error}", file.display()) })?;
    }
    Ok(())
}
