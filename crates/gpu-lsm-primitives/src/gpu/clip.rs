//! clip: the first few entries of each query. Kernel: kernels/clip.rs. Twin: host/clip.rs.

use super::array::GpuArray;
use super::bounds;
use super::device::Gpu;
use super::registry::Clip;
use crate::backend::Array;
use crate::entries::Bounds;
use crate::error::Result;

/// The first `limit` entries of each query, as bounds in the list that the offsets describe.
pub(super) fn clip(gpu: &Gpu, offsets: &GpuArray<u32>, limit: u32) -> Result<Bounds<Gpu>> {
    let queries = offsets.len() - 1;
    let lens = gpu.empty::<u32>(queries)?;
    gpu.launch(&Clip { offsets: offsets.all(), lens: lens.all(), limit }, queries)?;
    bounds::from_lens(gpu, offsets.clone(), lens)
}
