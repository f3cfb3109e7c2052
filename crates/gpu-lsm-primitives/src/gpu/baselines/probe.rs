//! probe: lookups in levels of doubling lengths. Kernel: kernels/baselines/probe.rs. Twin: host/baselines/probe.rs.

use super::registry::Probe;
use crate::backend::{Array, Backend};
use crate::baselines::Levels;
use crate::entries::Answers;
use crate::error::Result;
use crate::gpu::array::GpuArray;
use crate::gpu::device::Gpu;

/// One launch for all levels.
pub(super) fn probe(gpu: &Gpu, levels: &Levels<Gpu>, queries: &GpuArray<u32>) -> Result<Answers<Gpu, u32>> {
    let answers = gpu.answers(queries.len())?;
    let launch = Probe {
        keys: levels.pairs.keys.all(),
        values: levels.pairs.values.all(),
        queries: queries.all(),
        found: answers.found.all(),
        out: answers.values.all(),
        batch: levels.batch as u32,
        batches: levels.batches,
    };
    gpu.launch(&launch, queries.len())?;
    Ok(answers)
}
