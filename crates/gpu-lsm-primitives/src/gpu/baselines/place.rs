//! place: a part of an array over a part of another. Kernel: kernels/baselines/place.rs. Twin: host/baselines/place.rs.

use super::BaselineKernel;
use crate::backend::Array;
use crate::error::Result;
use crate::gpu::array::GpuArray;
use crate::gpu::gather::optional;
use crate::gpu::launch::Gpu;
use crate::gpu::registry::{Kernel, Launch};
use crate::tuning::ITEMS;
use std::ops::Range;

/// The elements of `from`, and fillers, to `len` elements of `to`.
pub(super) fn place(
    gpu: &Gpu,
    from: Option<(&GpuArray<u32>, Range<usize>)>,
    to: &GpuArray<u32>,
    at: usize,
    len: usize,
    filler: u32,
) -> Result<()> {
    debug_assert!(at + len <= to.len());
    let (from, start) = match from {
        Some((array, range)) => (array.first(range.end), range.start),
        None => (optional(gpu, None)?, 0),
    };
    gpu.launch(&Launch {
        kernel: Kernel::Baseline(BaselineKernel::Place),
        buffers: vec![from, to.first(at + len)],
        numbers: vec![start as u32, at as u32, filler],
        units: len.div_ceil(ITEMS as usize),
    })
}
