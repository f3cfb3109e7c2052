//! copy: elements of an array into another; joined arrays, and arrays of their exact size. Kernel: kernels/copy.rs.

use super::array::GpuArray;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use crate::backend::Array;
use crate::error::Result;
use crate::tuning::ITEMS;
use crate::value::Plain;

/// One array from two.
pub(super) fn concat<T: Plain>(gpu: &Gpu, first: &GpuArray<T>, second: &GpuArray<T>) -> Result<GpuArray<T>> {
    let both = gpu.empty::<T>(first.len() + second.len())?;
    copy(gpu, first, first.len(), &both, 0)?;
    copy(gpu, second, second.len(), &both, first.len())?;
    Ok(both)
}

/// An array itself, or a copy where it is the beginning of a longer one's memory.
pub(super) fn trimmed<T: Plain>(gpu: &Gpu, array: &GpuArray<T>) -> Result<GpuArray<T>> {
    if array.has_its_memory_alone() {
        return Ok(array.clone());
    }
    let exact = gpu.empty::<T>(array.len())?;
    copy(gpu, array, array.len(), &exact, 0)?;
    Ok(exact)
}

/// The first `len` elements of an array to another, from its element `at` on.
pub(super) fn copy<T: Plain>(
    gpu: &Gpu,
    from: &GpuArray<T>,
    len: usize,
    to: &GpuArray<T>,
    at: usize,
) -> Result<()> {
    let words = from.words(len);
    gpu.launch(&Launch {
        kernel: Kernel::Copy,
        units: words.len.div_ceil(ITEMS as usize),
        buffers: vec![words, to.words(to.len())],
        numbers: vec![(at * size_of::<T>() / 4) as u32],
    })
}
