//! interleave: one sorted array from two; all entries stay. Kernel: kernels/baselines/interleave.rs. Twin:
//! host/baselines/interleave.rs.

use super::BaselineKernel;
use crate::backend::check_positions;
use crate::baselines::{Pairs, Part};
use crate::error::Result;
use crate::gpu::launch::Gpu;
use crate::gpu::registry::{Kernel, Launch};
use crate::tuning::MERGE_ITEMS;

/// One launch: how long the result is, is known.
pub(super) fn interleave(gpu: &Gpu, newer: &Part<'_, Gpu>, older: &Part<'_, Gpu>) -> Result<Pairs<Gpu>> {
    let len = newer.len + older.len;
    check_positions(gpu, len as u64)?;
    let out = Pairs::room(gpu, len)?;
    gpu.launch(&Launch {
        kernel: Kernel::Baseline(BaselineKernel::Interleave),
        buffers: vec![
            newer.pairs.keys.all(),
            newer.pairs.values.all(),
            older.pairs.keys.all(),
            older.pairs.values.all(),
            out.keys.all(),
            out.values.all(),
        ],
        numbers: vec![newer.start as u32, newer.len as u32, older.start as u32],
        units: len.div_ceil(MERGE_ITEMS as usize),
    })?;
    Ok(out)
}
