//! encode: the key variables of a batch, and the values that follow them. Kernels: kernels/baselines/encode.rs. Twin:
//! host/baselines/encode.rs.

use super::BaselineKernel;
use crate::backend::Array;
use crate::error::Result;
use crate::gpu::array::GpuArray;
use crate::gpu::gather::optional;
use crate::gpu::launch::Gpu;
use crate::gpu::registry::{Kernel, Launch};
use crate::tuning::ITEMS;

/// Keys above their statuses, from the last to the first.
pub(super) fn keys(
    gpu: &Gpu,
    keys: &GpuArray<u32>,
    marks: Option<&GpuArray<u32>>,
    len: usize,
) -> Result<GpuArray<u32>> {
    let out = gpu.empty::<u32>(len)?;
    gpu.launch(&Launch {
        kernel: Kernel::Baseline(BaselineKernel::EncodeKeys),
        buffers: vec![keys.all(), optional(gpu, marks)?, out.all()],
        numbers: vec![],
        units: len.div_ceil(ITEMS as usize),
    })?;
    Ok(out)
}

/// The values at positions of such keys.
pub(super) fn values(
    gpu: &Gpu,
    values: &GpuArray<u32>,
    positions: &GpuArray<u32>,
    keys: usize,
) -> Result<GpuArray<u32>> {
    let out = gpu.empty::<u32>(positions.len())?;
    gpu.launch(&Launch {
        kernel: Kernel::Baseline(BaselineKernel::EncodeValues),
        buffers: vec![values.all(), positions.all(), out.all()],
        numbers: vec![keys as u32],
        units: out.len().div_ceil(ITEMS as usize),
    })?;
    Ok(out)
}
