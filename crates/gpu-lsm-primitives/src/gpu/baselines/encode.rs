//! encode: the paper's key variables for a batch, and its values in their order. Kernels: kernels/baselines/encode.rs.
//! Twin: host/baselines/encode.rs.

use super::registry::{EncodeKeys, EncodeValues};
use crate::backend::Array;
use crate::error::Result;
use crate::gpu::array::GpuArray;
use crate::gpu::device::Gpu;
use crate::tuning::ITEMS;

/// Keys with their status in the lowest bit, from the last to the first.
pub(super) fn keys(
    gpu: &Gpu,
    keys: &GpuArray<u32>,
    marks: Option<&GpuArray<u32>>,
    len: usize,
) -> Result<GpuArray<u32>> {
    let out = gpu.empty::<u32>(len)?;
    let launch = EncodeKeys { keys: keys.all(), marks: gpu.optional(marks), out: out.all() };
    gpu.launch(&launch, len.div_ceil(ITEMS as usize))?;
    Ok(out)
}

/// The values at positions of the encoded batch.
pub(super) fn values(
    gpu: &Gpu,
    values: &GpuArray<u32>,
    positions: &GpuArray<u32>,
    keys: usize,
) -> Result<GpuArray<u32>> {
    let out = gpu.empty::<u32>(positions.len())?;
    let (values, positions) = (values.all(), positions.all());
    let launch = EncodeValues { values, positions, out: out.all(), keys: keys as u32 };
    gpu.launch(&launch, out.len().div_ceil(ITEMS as usize))?;
    Ok(out)
}
