//! outside: marks the points that are outside of their rectangle. Kernels: kernels/outside.rs. Twin: host/outside.rs.

use super::array::GpuArray;
use super::device::Gpu;
use super::registry::{OutsideMarks, OutsideOffsets};
use crate::backend::Array;
use crate::code::KeyWidth;
use crate::entries::{Candidates, Pile, mark_words};
use crate::error::Result;
use crate::tuning::MERGE_ITEMS;
use crate::value::Value;

/// One launch for offsets, and one for marks.
pub(super) fn outside<V: Value>(
    gpu: &Gpu,
    candidates: &Candidates<Gpu, u64, V>,
    lower: &GpuArray<u64>,
    upper: &GpuArray<u64>,
) -> Result<Candidates<Gpu, u64, V>> {
    let entries = &candidates.entries;
    let offsets = gpu.empty::<u32>(lower.len() + 1)?;
    let launch = OutsideOffsets { offsets: candidates.offsets.all(), out: offsets.all() };
    gpu.launch(&launch, offsets.len())?;
    let marks = gpu.empty::<u32>(mark_words(entries.len))?;
    let tiles = gpu.shape().tiles;
    let launch = OutsideMarks {
        key: KeyWidth::U64,
        tiles,
        keys: entries.keys.first(entries.len),
        marks: gpu.optional(entries.marks.as_ref()),
        offsets: offsets.all(),
        lower: lower.all(),
        upper: upper.all(),
        out: marks.all(),
    };
    gpu.launch(&launch, tiles.units(entries.len, MERGE_ITEMS))?;
    Ok(Candidates { offsets, entries: Pile { marks: Some(marks), ..entries.clone() } })
}
