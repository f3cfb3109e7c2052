//! overlay: what a run has in each query's interval, merged with what newer runs have there. Kernels:
//! kernels/overlay.rs. Twin: host/overlay.rs.

use super::array::GpuArray;
use super::expand;
use super::gather::optional;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use crate::backend::{Array, check_entries};
use crate::entries::{Bounds, Candidates, Pile, Run, mark_words};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::MERGE_ITEMS;
use crate::value::Value;

/// One launch for keys and values, and one for the marks where there are any.
pub(super) fn overlay<K: Key, V: Value>(
    gpu: &Gpu,
    newer: &Candidates<Gpu, K, V>,
    older: &Run<Gpu, K, V>,
    bounds: &Bounds<Gpu>,
    older_total: usize,
) -> Result<Candidates<Gpu, K, V>> {
    if older_total == 0 {
        return Ok(newer.clone());
    }
    if newer.entries.len == 0 {
        return expand::expand(gpu, older, bounds, older_total);
    }
    let len = newer.entries.len + older_total;
    check_entries::<_, K, V>(gpu, len as u64)?;
    let queries = newer.offsets.len();
    let offsets = gpu.empty::<u32>(queries)?;
    let segments = gpu.empty::<u32>(3 * queries)?;
    gpu.launch(&Launch {
        kernel: Kernel::OverlaySegments,
        buffers: vec![
            newer.offsets.all(),
            bounds.offsets.all(),
            bounds.starts.all(),
            segments.all(),
            offsets.all(),
        ],
        numbers: vec![],
        units: queries,
    })?;
    let (keys, values) = (gpu.empty::<K>(len)?, gpu.empty::<V>(len)?);
    gpu.launch(&Launch {
        kernel: Kernel::Overlay(K::WIDTH, V::WORDS),
        buffers: vec![
            newer.entries.keys.first(newer.entries.len),
            newer.entries.values.words(newer.entries.len),
            older.keys.first(older.len),
            older.values.words(older.len),
            segments.all(),
            keys.all(),
            values.words(len),
        ],
        numbers: vec![],
        units: len.div_ceil(MERGE_ITEMS as usize),
    })?;
    let marks = match newer.entries.marks.is_some() || older.marks.is_some() {
        true => Some(marks(gpu, &newer.entries, older, &segments, len)?),
        false => None,
    };
    Ok(Candidates { offsets, entries: Pile { keys, values, marks, len } })
}

/// The marks of both sides in the order of their keys.
fn marks<K: Key, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Run<Gpu, K, V>,
    segments: &GpuArray<u32>,
    len: usize,
) -> Result<GpuArray<u32>> {
    let marks = gpu.empty::<u32>(mark_words(len))?;
    gpu.launch(&Launch {
        kernel: Kernel::OverlayMarks(K::WIDTH),
        buffers: vec![
            newer.keys.first(newer.len),
            optional(gpu, newer.marks.as_ref())?,
            older.keys.first(older.len),
            optional(gpu, older.marks.as_ref())?,
            segments.all(),
            gpu.empty::<K>(0)?.all(),
            marks.all(),
        ],
        numbers: vec![],
        units: mark_words(len),
    })?;
    Ok(marks)
}
