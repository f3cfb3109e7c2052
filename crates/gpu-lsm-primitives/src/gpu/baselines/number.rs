//! number: finds the list of each candidate. Kernel: kernels/baselines/number.rs. Twin: host/baselines/number.rs.

use super::registry::Number;
use crate::error::Result;
use crate::gpu::array::GpuArray;
use crate::gpu::device::Gpu;
use crate::tuning::MERGE_ITEMS;

/// The list of each of `total` candidates.
pub(super) fn number(gpu: &Gpu, offsets: &GpuArray<u32>, total: usize) -> Result<GpuArray<u32>> {
    let list_of = gpu.empty::<u32>(total)?;
    let tiles = gpu.shape().tiles;
    let launch = Number { tiles, offsets: offsets.all(), list_of: list_of.all() };
    gpu.launch(&launch, tiles.units(total, MERGE_ITEMS))?;
    Ok(list_of)
}
