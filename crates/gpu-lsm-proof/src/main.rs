//! Emits every kernel at every instantiation as CUDA C++, HIP C++ and Metal source, for targets that are not at hand.
//!
//! ```text
//! gpu-lsm-proof FOLDER
//! ```
//!
//! `FOLDER/cuda`, `FOLDER/hip` and `FOLDER/metal` get a file for each kernel, `FOLDER/kernels.tsv` the list: number, name,
//! buffers, bytes of shared memory.

use cubecl_cpp::shared::{CompilationOptions, CppCompiler};
use cubecl_cpp::target::{Cuda, Hip, Metal};
use cubecl_runtime::compiler::Compiler;
use cubecl_runtime::kernel::KernelDefinition;
use gpu_lsm_primitives::Meter;
use gpu_lsm_primitives::gpu::registry::Kernel;
use gpu_lsm_primitives::gpu::{Gpu, devices, proof};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder to write to")?;
    let folder = Path::new(&folder);
    for target in ["cuda", "hip", "metal"] {
        std::fs::create_dir_all(folder.join(target))?;
    }
    let gpus = devices::list();
    let gpu = gpus.first().ok_or("the engine needs a Vulkan driver, for instance mesa-vulkan-drivers")?;
    let gpu = Gpu::open(&gpu.device, Meter::new(None))?;
    let mut list = String::new();
    for (number, kernel) in Kernel::all().into_iter().enumerate() {
        let name = name_of(kernel);
        let define = || proof::definition_of(&gpu, kernel);
        std::fs::write(folder.join(format!("cuda/{name}.cu")), emit::<CppCompiler<Cuda>>(define()?)?)?;
        std::fs::write(folder.join(format!("hip/{name}.cpp")), emit::<CppCompiler<Hip>>(define()?)?)?;
        std::fs::write(folder.join(format!("metal/{name}.metal")), emit::<CppCompiler<Metal>>(define()?)?)?;
        writeln!(list, "{number}\t{name}\t{}\t{}", kernel.buffers(), kernel.shared_bytes())?;
    }
    std::fs::write(folder.join("kernels.tsv"), &list)?;
    println!("{} kernels emitted for CUDA, HIP and Metal", list.lines().count());
    Ok(())
}

fn emit<C>(definition: KernelDefinition) -> Result<String, Box<dyn Error>>
where
    C: Compiler<CompilationOptions = CompilationOptions> + Default,
{
    let source = C::default().compile(definition, &CompilationOptions::default());
    Ok(source.map_err(|error| format!("{error:?}"))?.to_string())
}

/// The kernel as a file is called: `MergeCount(U64)` is `merge_count_u64`.
fn name_of(kernel: Kernel) -> String {
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
