//! Emits all instances of all kernels as CUDA C++, HIP C++ and Metal source, for targets that are not available.
//!
//! ```text
//! gpu-lsm-proof FOLDER
//! ```
//!
//! Each of `FOLDER/cuda_80`, `FOLDER/cuda_90`, `FOLDER/hip` and `FOLDER/metal` gets one file per kernel.
//! `FOLDER/kernels.tsv` lists them: number, name, buffers, bytes of shared memory. CUDA is emitted as the engine's
//! runtime does for compute capability 8.0 and up, and for 9.0 and up. The command fails if a kernel uses a buffer in a
//! way that its declaration does not say.

use cubecl_cpp::shared::{CompilationOptions, CppCompiler, CppSupportedFeatures};
use cubecl_cpp::target::{Cuda, Hip, Metal};
use cubecl_runtime::compiler::Compiler;
use cubecl_runtime::kernel::BufferIOAttr;
use gpu_lsm_primitives::Meter;
use gpu_lsm_primitives::gpu::table::{Direction, Instance};
use gpu_lsm_primitives::gpu::{Gpu, devices, proof};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

const PLAIN: CppSupportedFeatures = CppSupportedFeatures {
    grid_constants: false,
    clusters: false,
    fast_math: false,
    fast_tanh: false,
    elect_sync: false,
    dp4a: false,
};
/// The features that the engine's runtime enables for compute capability 8.0.
const CUDA_80: CppSupportedFeatures =
    CppSupportedFeatures { grid_constants: true, fast_math: true, fast_tanh: true, dp4a: true, ..PLAIN };
/// The features for compute capability 9.0.
const CUDA_90: CppSupportedFeatures = CppSupportedFeatures { clusters: true, elect_sync: true, ..CUDA_80 };

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder to write to")?;
    let folder = Path::new(&folder);
    for target in ["cuda_80", "cuda_90", "hip", "metal"] {
        std::fs::create_dir_all(folder.join(target))?;
    }
    let gpus = devices::list();
    let gpu = gpus.first().ok_or("the engine needs a Vulkan driver, for instance mesa-vulkan-drivers")?;
    let gpu = Gpu::open(&gpu.device, Meter::new(None))?;
    let mut list = String::new();
    for (number, kernel) in proof::kernels().iter().enumerate() {
        let kernel = kernel.as_ref();
        let emit_cuda = |features| emit::<CppCompiler<Cuda>>(&gpu, kernel, features);
        let write = |file: String, source: String| std::fs::write(folder.join(file), source);
        write(format!("cuda_80/{kernel}.cu"), emit_cuda(CUDA_80)?)?;
        write(format!("cuda_90/{kernel}.cu"), emit_cuda(CUDA_90)?)?;
        write(format!("hip/{kernel}.cpp"), emit::<CppCompiler<Hip>>(&gpu, kernel, PLAIN)?)?;
        write(format!("metal/{kernel}.metal"), emit::<CppCompiler<Metal>>(&gpu, kernel, PLAIN)?)?;
        let (buffers, shared) = (kernel.buffers().len(), proof::shared_bytes(&gpu, kernel));
        writeln!(list, "{number}\t{kernel}\t{buffers}\t{shared}")?;
    }
    std::fs::write(folder.join("kernels.tsv"), &list)?;
    println!("{} kernels emitted for CUDA, HIP and Metal", list.lines().count());
    Ok(())
}

fn emit<C>(gpu: &Gpu, kernel: &dyn Instance, features: CppSupportedFeatures) -> Result<String, Box<dyn Error>>
where
    C: Compiler<CompilationOptions = CompilationOptions> + Default,
{
    let definition = proof::definition_of(gpu, kernel)?;
    let options = CompilationOptions { supports_features: features, ..CompilationOptions::default() };
    let source = C::default().compile(definition, &options).map_err(|error| format!("{error:?}"))?;
    let found = C::buffer_io(&source).ok_or("the compiler does not tell what kernels do with buffers")?;
    check_directions(kernel, &found)?;
    Ok(source.to_string())
}

/// Checks that a kernel uses each buffer as declared, or not at all.
fn check_directions(kernel: &dyn Instance, found: &[BufferIOAttr]) -> Result<(), String> {
    let declared = kernel.buffers().len();
    if found.len() < declared {
        return Err(format!(
            "{kernel}: the compiler tells of {} buffers, and {declared} are declared",
            found.len()
        ));
    }
    for (buffer, found) in kernel.buffers().iter().zip(found) {
        let is_declared = match found {
            BufferIOAttr::ReadOnly => buffer.direction == Direction::Read,
            BufferIOAttr::WriteOnly => buffer.direction == Direction::Written,
            BufferIOAttr::ReadWrite => buffer.direction == Direction::Updated,
            BufferIOAttr::Dead => true,
        };
        if !is_declared {
            let declared = buffer.direction;
            return Err(format!("{kernel}: `{}` is declared {declared:?}, and is {found:?}", buffer.name));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_directions;
    use cubecl_runtime::kernel::BufferIOAttr::{Dead, ReadOnly, ReadWrite, WriteOnly};
    use gpu_lsm_primitives::gpu::registry::Kernel;

    /// `clip` reads its first buffer and writes its second. The engine's own buffer follows.
    #[test]
    fn a_buffer_that_is_not_used_as_declared_is_noticed() {
        let clip = Kernel::Clip {};
        for found in [&[ReadOnly, WriteOnly, ReadOnly][..], &[ReadOnly, Dead]] {
            check_directions(&clip, found).expect("it is as declared");
        }
        for found in
            [&[ReadOnly, ReadWrite][..], &[ReadWrite, WriteOnly], &[WriteOnly, WriteOnly], &[ReadOnly]]
        {
            assert!(check_directions(&clip, found).is_err(), "{found:?}");
        }
    }
}
