//! intervals: where the interval of each query lies in each full level. Kernel: kernels/baselines/intervals.rs. Twin:
//! host/baselines/intervals.rs.

use super::registry::Intervals;
use crate::backend::Array;
use crate::baselines::Levels;
use crate::entries::Bounds;
use crate::error::Result;
use crate::gpu::array::GpuArray;
use crate::gpu::axes::Tiles;
use crate::gpu::bounds;
use crate::gpu::device::Gpu;

/// One launch for all levels, and a scan of the lengths.
pub(super) fn intervals(
    gpu: &Gpu,
    levels: &Levels<Gpu>,
    lower: &GpuArray<u32>,
    upper: &GpuArray<u32>,
) -> Result<Bounds<Gpu>> {
    let lists = lower.len() * levels.full() as usize;
    let starts = gpu.empty::<u32>(lists)?;
    let lens = gpu.empty::<u32>(lists)?;
    let tiles = gpu.shape().tiles;
    let launch = Intervals {
        tiles,
        keys: levels.pairs.keys.all(),
        lower: lower.all(),
        upper: upper.all(),
        starts: starts.all(),
        lens: lens.all(),
        batch: levels.batch as u32,
        batches: levels.batches,
        full: levels.full(),
    };
    let units = match tiles {
        Tiles::Direct => lower.len(),
        Tiles::Staged => lists,
    };
    gpu.launch(&launch, units)?;
    bounds::from_lens(gpu, starts, lens)
}
