//! copy: elements of an array into another; joined arrays, parts of arrays, and arrays of their exact
//! size. Kernel: kernels/copy.rs.

use super::array::GpuArray;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use crate::backend::Array;
use crate::error::Result;
use crate::tuning::ITEMS;
use crate::value::Plain;
use std::ops::Range;

/// One array from two.
pub(super) fn concat<T: Plain>(gpu: &Gpu, first: &GpuArray<T>, second: &GpuArray<T>) -> Result<GpuArray<T>> {
    let both = gpu.empty::<T>(first.len() + second.len())?;
    copy(gpu, first, 0..first.len(), &both, 0)?;
    copy(gpu, second, 0..second.len(), &both, first.len())?;
    Ok(both)
}

/// Some neighbouring elements of an array. Those from the first on share its memory: a kernel can't bind memory from any
/// element on, so others are copied.
pub(super) fn slice<T: Plain>(gpu: &Gpu, array: &GpuArray<T>, range: Range<usize>) -> Result<GpuArray<T>> {
    if range.start == 0 {
        return Ok(array.prefix(range.end));
    }
    let part = gpu.empty::<T>(range.len())?;
    copy(gpu, array, range, &part, 0)?;
    Ok(part)
}

/// An array itself, or a copy where it is the beginning of a longer one's memory.
pub(super) fn trimmed<T: Plain>(gpu: &Gpu, array: &GpuArray<T>) -> Result<GpuArray<T>> {
    if array.has_its_memory_alone() {
        return Ok(array.clone());
    }
    let exact = gpu.empty::<T>(array.len())?;
    copy(gpu, array, 0..array.len(), &exact, 0)?;
    Ok(exact)
}

/// Some neighbouring elements of an array to another, from its element `at` on.
pub(super) fn copy<T: Plain>(
    gpu: &Gpu,
    from: &GpuArray<T>,
    range: Range<usize>,
    to: &GpuArray<T>,
    at: usize,
) -> Result<()> {
    let words = |elements: usize| elements * size_of::<T>() / 4;
    gpu.launch(&Launch {
        kernel: Kernel::Copy,
        units: words(range.len()).div_ceil(ITEMS as usize),
        buffers: vec![from.words(range.end), to.words(to.len())],
        numbers: vec![words(range.start) as u32, words(at) as u32],
    })
}
