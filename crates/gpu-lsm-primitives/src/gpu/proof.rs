//! What proofs need: the definition of a kernel, as the engine would compile it for a launch.

use super::launch::Gpu;
use super::registry::{Kernel, Launch, definition};
use crate::error::Result;
use cubecl::prelude::{ExecutionMode, KernelDefinition};

/// More numbers than any kernel takes.
const NUMBERS: usize = 4;

/// What the engine compiles for a kernel, for launches without checks, as all launches are.
///
/// # Errors
/// Where the device has no room for the buffers that stand in for arguments.
pub fn definition_of(gpu: &Gpu, kernel: Kernel) -> Result<KernelDefinition> {
    let any = gpu.empty::<u64>(16)?.all();
    let launch = Launch { kernel, buffers: vec![any; kernel.buffers()], numbers: vec![0; NUMBERS], units: 1 };
    let mut definition = definition(gpu.client(), &launch);
    definition.settings.execution_mode = ExecutionMode::Unchecked;
    Ok(definition)
}
