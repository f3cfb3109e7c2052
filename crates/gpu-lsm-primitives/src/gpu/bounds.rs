//! bounds: where the interval of each query lies in a run. Kernel: kernels/bounds.rs. Twin: host/bounds.rs.

use super::array::{GpuArray, GpuCount};
use super::device::Gpu;
use super::{registry, scan};
use crate::backend::{Array, Start};
use crate::code::Code;
use crate::entries::{Bounds, Run};
use crate::error::Result;
use crate::value::Value;

/// Two binary searches per query, and a scan of the lengths.
pub(super) fn bounds<K: Code, V: Value>(
    gpu: &Gpu,
    run: &Run<Gpu, K, V>,
    lower: &GpuArray<K>,
    upper: &GpuArray<K>,
    start: Start,
) -> Result<Bounds<Gpu>> {
    let starts = gpu.empty::<u32>(lower.len())?;
    let lens = gpu.empty::<u32>(lower.len())?;
    let launch = registry::Bounds {
        key: K::WIDTH,
        tiles: gpu.shape().tiles,
        keys: run.keys.first(run.len),
        index: run.index.all(),
        lower: lower.all(),
        upper: upper.all(),
        starts: starts.all(),
        lens: lens.all(),
        after: u32::from(start == Start::After),
    };
    gpu.launch(&launch, lower.len())?;
    from_lens(gpu, starts, lens)
}

/// Bounds from the start and the length of each interval.
pub(super) fn from_lens(gpu: &Gpu, starts: GpuArray<u32>, lens: GpuArray<u32>) -> Result<Bounds<Gpu>> {
    let offsets = scan::scan(gpu, &lens)?;
    let total = GpuCount { array: offsets.clone(), index: lens.len() };
    Ok(Bounds { starts, lens, offsets, total })
}
