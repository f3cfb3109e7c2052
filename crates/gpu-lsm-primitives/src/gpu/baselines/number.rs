//! number: the list that each candidate belongs to. Kernel: kernels/baselines/number.rs. Twin: host/baselines/number.rs.

use super::BaselineKernel;
use crate::error::Result;
use crate::gpu::array::GpuArray;
use crate::gpu::launch::Gpu;
use crate::gpu::registry::{Kernel, Launch};
use crate::tuning::MERGE_ITEMS;

/// The list of each of `total` candidates.
pub(super) fn number(gpu: &Gpu, offsets: &GpuArray<u32>, total: usize) -> Result<GpuArray<u32>> {
    let list_of = gpu.empty::<u32>(total)?;
    gpu.launch(&Launch {
        kernel: Kernel::Baseline(BaselineKernel::Number),
        buffers: vec![offsets.all(), list_of.all()],
        numbers: vec![],
        units: total.div_ceil(MERGE_ITEMS as usize),
    })?;
    Ok(list_of)
}
