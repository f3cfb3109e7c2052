//! probe: lookups in levels of doubling lengths. Kernel: kernels/baselines/probe.rs. Twin: host/baselines/probe.rs.

use super::BaselineKernel;
use crate::backend::{Array, Backend};
use crate::baselines::Levels;
use crate::entries::Answers;
use crate::error::Result;
use crate::gpu::array::GpuArray;
use crate::gpu::launch::Gpu;
use crate::gpu::registry::{Kernel, Launch};

/// One launch for all levels.
pub(super) fn probe(gpu: &Gpu, levels: &Levels<Gpu>, queries: &GpuArray<u32>) -> Result<Answers<Gpu, u32>> {
    let answers = gpu.answers(queries.len())?;
    gpu.launch(&Launch {
        kernel: Kernel::Baseline(BaselineKernel::Probe),
        buffers: vec![
            levels.pairs.keys.all(),
            levels.pairs.values.all(),
            queries.all(),
            answers.found.all(),
            answers.values.all(),
        ],
        numbers: vec![levels.batch as u32, levels.batches],
        units: queries.len(),
    })?;
    Ok(answers)
}
