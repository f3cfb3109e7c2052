//! validate: which candidates are valid, and only those. Kernels: kernels/baselines/validate.rs. Twin:
//! host/baselines/validate.rs.

use super::{BaselineKernel, place};
use crate::backend::Array;
use crate::baselines::{Lists, Pairs, Valid};
use crate::error::Result;
use crate::gpu::array::{GpuArray, GpuCount};
use crate::gpu::gather::optional;
use crate::gpu::launch::Gpu;
use crate::gpu::registry::{Kernel, Launch};
use crate::gpu::scan;
use crate::tuning::ITEMS;

/// Counts by query and by unit.
pub(super) fn validate(gpu: &Gpu, keys: &GpuArray<u32>, lists: Option<&Lists<Gpu>>) -> Result<Valid<Gpu>> {
    let units = keys.len().div_ceil(ITEMS as usize);
    let queries = lists.map_or(0, |lists| lists.queries);
    let counts = gpu.empty::<u32>(queries)?;
    place::place(gpu, None, &counts, 0, queries, 0)?;
    let kept = gpu.empty::<u32>(units)?;
    gpu.launch(&Launch {
        kernel: Kernel::Baseline(BaselineKernel::Validate),
        buffers: vec![
            keys.all(),
            optional(gpu, lists.map(|lists| &lists.list_of))?,
            kept.all(),
            counts.all(),
        ],
        numbers: vec![per_query(lists)],
        units,
    })?;
    Ok(Valid { counts, kept })
}

/// Scans what the units keep, and writes it.
pub(super) fn compact(
    gpu: &Gpu,
    pairs: &Pairs<Gpu>,
    lists: Option<&Lists<Gpu>>,
    valid: &Valid<Gpu>,
    is_plain: bool,
) -> Result<(Pairs<Gpu>, GpuCount)> {
    let offsets = scan::scan(gpu, &valid.kept)?;
    let len = pairs.keys.len();
    let out = Pairs::room(gpu, len)?;
    gpu.launch(&Launch {
        kernel: Kernel::Baseline(BaselineKernel::Compact),
        buffers: vec![
            pairs.keys.all(),
            pairs.values.all(),
            optional(gpu, lists.map(|lists| &lists.list_of))?,
            offsets.all(),
            out.keys.all(),
            out.values.all(),
        ],
        numbers: vec![per_query(lists), u32::from(is_plain)],
        units: len.div_ceil(ITEMS as usize),
    })?;
    Ok((out, GpuCount { index: valid.kept.len(), array: offsets }))
}

fn per_query(lists: Option<&Lists<Gpu>>) -> u32 {
    lists.map_or(1, |lists| lists.per_query)
}
