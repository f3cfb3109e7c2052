//! overlay: merges a run's entries in each query's interval with those of newer runs. Kernels: kernels/overlay.rs.
//! Twin: host/overlay.rs.

use super::array::GpuArray;
use super::device::Gpu;
use super::expand;
use super::registry::{Overlay, OverlayMarks, OverlaySegments};
use crate::backend::{Array, check_entries};
use crate::code::Code;
use crate::entries::{Bounds, Candidates, Pile, Run, mark_words};
use crate::error::Result;
use crate::tuning::MERGE_ITEMS;
use crate::value::Value;

/// One launch for keys and values and, if there are marks, one for them.
pub(super) fn overlay<K: Code, V: Value>(
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
    let launch = OverlaySegments {
        newer_offsets: newer.offsets.all(),
        older_offsets: bounds.offsets.all(),
        older_starts: bounds.starts.all(),
        segments: segments.all(),
        offsets: offsets.all(),
    };
    gpu.launch(&launch, queries)?;
    let (keys, values) = columns(gpu, &newer.entries, older, &segments, len)?;
    let marks = match newer.entries.marks.is_some() || older.marks.is_some() {
        true => Some(marks(gpu, &newer.entries, older, &segments, len)?),
        false => None,
    };
    Ok(Candidates { offsets, entries: Pile { keys, values, marks, len } })
}

/// The keys of both sides in ascending order, and their values.
fn columns<K: Code, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Run<Gpu, K, V>,
    segments: &GpuArray<u32>,
    len: usize,
) -> Result<(GpuArray<K>, GpuArray<V>)> {
    let (keys, values) = (gpu.empty::<K>(len)?, gpu.empty::<V>(len)?);
    let launch = Overlay {
        key: K::WIDTH,
        words: V::WORDS,
        tiles: gpu.shape().tiles,
        newer: newer.keys.first(newer.len),
        newer_values: newer.values.words(newer.len),
        older: older.keys.first(older.len),
        older_values: older.values.words(older.len),
        segments: segments.all(),
        out: keys.all(),
        out_values: values.words(len),
    };
    gpu.launch(&launch, gpu.shape().tiles.units(len, MERGE_ITEMS))?;
    Ok((keys, values))
}

/// The marks of both sides in the order of their keys.
fn marks<K: Code, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Run<Gpu, K, V>,
    segments: &GpuArray<u32>,
    len: usize,
) -> Result<GpuArray<u32>> {
    let marks = gpu.empty::<u32>(mark_words(len))?;
    let launch = OverlayMarks {
        key: K::WIDTH,
        tiles: gpu.shape().tiles,
        newer: newer.keys.first(newer.len),
        newer_marks: gpu.optional(newer.marks.as_ref()),
        older: older.keys.first(older.len),
        older_marks: gpu.optional(older.marks.as_ref()),
        segments: segments.all(),
        no_keys: gpu.nothing(),
        out_marks: marks.all(),
    };
    gpu.launch(&launch, gpu.shape().tiles.units(len, MERGE_ITEMS))?;
    Ok(marks)
}
