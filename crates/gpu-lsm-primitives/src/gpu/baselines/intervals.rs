//! intervals: where the interval of each query lies in each full level. Kernel: kernels/baselines/intervals.rs. Twin:
//! host/baselines/intervals.rs.

use super::BaselineKernel;
use crate::backend::Array;
use crate::baselines::Levels;
use crate::entries::Bounds;
use crate::error::Result;
use crate::gpu::array::GpuArray;
use crate::gpu::bounds;
use crate::gpu::launch::Gpu;
use crate::gpu::registry::{Kernel, Launch};

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
    gpu.launch(&Launch {
        kernel: Kernel::Baseline(BaselineKernel::Intervals),
        buffers: vec![levels.pairs.keys.all(), lower.all(), upper.all(), starts.all(), lens.all()],
        numbers: vec![levels.batch as u32, levels.batches, levels.full()],
        units: lower.len(),
    })?;
    bounds::from_lens(gpu, starts, lens)
}
