//! index: where the keys of each part of a run's range start, and filters. Kernel: kernels/index.rs. Twin: host/index.rs.

use super::array::{GpuArray, GpuCount};
use super::gather::optional;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use crate::entries::{index_len, index_parts};
use crate::error::Result;
use crate::key::Key;

/// One launch. `bound`: the most keys that there can be, or all where there is no `count`.
pub(super) fn index<K: Key>(
    gpu: &Gpu,
    keys: &GpuArray<K>,
    bound: usize,
    count: Option<&GpuCount>,
) -> Result<GpuArray<u32>> {
    let index = gpu.empty::<u32>(index_len(bound))?;
    if bound > 0 {
        let parts = index_parts(bound);
        gpu.launch(&Launch {
            kernel: Kernel::Index(K::WIDTH),
            buffers: vec![keys.first(bound), optional(gpu, count.map(|count| &count.array))?, index.all()],
            numbers: vec![count.map_or(0, |count| count.index as u32), parts as u32],
            units: parts + 1,
        })?;
    }
    Ok(index)
}
