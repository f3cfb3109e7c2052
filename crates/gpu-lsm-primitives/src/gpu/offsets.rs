//! offsets: where the entries of each query start. Kernels: kernels/offsets.rs. Twin: host/offsets.rs.

use super::array::GpuArray;
use super::bounds;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use crate::backend::Array;
use crate::entries::{Bounds, Candidates};
use crate::error::Result;
use crate::key::Key;
use crate::value::Value;

/// A binary search for each query, and for the end.
pub(super) fn offsets<K: Key, V: Value>(
    gpu: &Gpu,
    candidates: &Candidates<Gpu, K, V>,
    queries: usize,
) -> Result<GpuArray<u32>> {
    let out = gpu.empty::<u32>(queries + 1)?;
    let count = &candidates.entries.count;
    gpu.launch(&Launch {
        kernel: Kernel::Offsets,
        buffers: vec![candidates.queries.all(), count.array.all(), out.all()],
        numbers: vec![count.index as u32],
        units: queries + 1,
    })?;
    Ok(out)
}

/// The first `limit` entries of each query, as bounds in the list that the offsets belong to.
pub(super) fn clip(gpu: &Gpu, offsets: &GpuArray<u32>, limit: u32) -> Result<Bounds<Gpu>> {
    let queries = offsets.len() - 1;
    let lens = gpu.empty::<u32>(queries)?;
    gpu.launch(&Launch {
        kernel: Kernel::OffsetsClip,
        buffers: vec![offsets.all(), lens.all()],
        numbers: vec![limit],
        units: queries,
    })?;
    bounds::from_lens(gpu, offsets.clone(), lens)
}
