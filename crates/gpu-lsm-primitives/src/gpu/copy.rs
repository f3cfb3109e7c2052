//! copy: elements of an array into another; and what it is for, joining two arrays. Kernel: kernels/copy.rs.

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
