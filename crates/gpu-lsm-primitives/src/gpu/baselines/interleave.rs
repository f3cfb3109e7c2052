//! interleave: merges two sorted arrays into one; all entries stay. Kernel: kernels/baselines/interleave.rs. Twin:
//! host/baselines/interleave.rs.

use super::registry::Interleave;
use crate::backend::check_positions;
use crate::baselines::{Pairs, Part};
use crate::error::Result;
use crate::gpu::device::Gpu;
use crate::tuning::MERGE_ITEMS;

/// One launch: the length of the result is known.
pub(super) fn interleave(gpu: &Gpu, newer: &Part<'_, Gpu>, older: &Part<'_, Gpu>) -> Result<Pairs<Gpu>> {
    let len = newer.len + older.len;
    check_positions(gpu, len as u64)?;
    let out = Pairs::room(gpu, len)?;
    let launch = Interleave {
        tiles: gpu.shape().tiles,
        newer_keys: newer.pairs.keys.all(),
        newer_values: newer.pairs.values.all(),
        older_keys: older.pairs.keys.all(),
        older_values: older.pairs.values.all(),
        out_keys: out.keys.all(),
        out_values: out.values.all(),
        newer_at: newer.start as u32,
        newer_len: newer.len as u32,
        older_at: older.start as u32,
    };
    gpu.launch(&launch, gpu.shape().tiles.units(len, MERGE_ITEMS))?;
    Ok(out)
}
