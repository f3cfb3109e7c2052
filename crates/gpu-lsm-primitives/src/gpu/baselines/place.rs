//! place: copies a part of one array over a part of another. Kernel: kernels/baselines/place.rs. Twin:
//! host/baselines/place.rs.

use super::registry::Place;
use crate::backend::Array;
use crate::error::Result;
use crate::gpu::array::GpuArray;
use crate::gpu::device::Gpu;
use crate::tuning::ITEMS;
use std::ops::Range;

/// Fills `len` elements of `to` with the elements of `from`, padded.
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
        None => (gpu.nothing(), 0),
    };
    let launch = Place { from, out: to.first(at + len), start: start as u32, at: at as u32, filler };
    gpu.launch(&launch, len.div_ceil(ITEMS as usize))
}
