//! expand: the entries in each query's interval, one query after the other. Kernel: kernels/expand.rs. Twin:
//! host/expand.rs.

use super::array::GpuArray;
use super::device::Gpu;
use super::registry::{Expand, ExpandMarks};
use crate::backend::check_entries;
use crate::code::Code;
use crate::entries::{Bounds, Candidates, Pile, Run, mark_words};
use crate::error::Result;
use crate::tuning::MERGE_ITEMS;
use crate::value::Value;

/// One launch for keys and values and, if there are marks, one for them.
pub(super) fn expand<K: Code, V: Value>(
    gpu: &Gpu,
    run: &Run<Gpu, K, V>,
    bounds: &Bounds<Gpu>,
    room: usize,
) -> Result<Candidates<Gpu, K, V>> {
    check_entries::<_, K, V>(gpu, room as u64)?;
    let (keys, values) = columns(gpu, run, bounds, room)?;
    let marks = match &run.marks {
        Some(bits) => Some(marks(gpu, bits, bounds, room)?),
        None => None,
    };
    let entries = Pile { keys, values, marks, len: room };
    Ok(Candidates { offsets: bounds.offsets.clone(), entries })
}

/// The keys in the intervals, and their values.
fn columns<K: Code, V: Value>(
    gpu: &Gpu,
    run: &Run<Gpu, K, V>,
    bounds: &Bounds<Gpu>,
    room: usize,
) -> Result<(GpuArray<K>, GpuArray<V>)> {
    let (out_keys, out_values) = (gpu.empty::<K>(room)?, gpu.empty::<V>(room)?);
    let tiles = gpu.shape().tiles;
    let launch = Expand {
        key: K::WIDTH,
        words: V::WORDS,
        tiles,
        keys: run.keys.first(run.len),
        values: run.values.words(run.len),
        starts: bounds.starts.all(),
        offsets: bounds.offsets.all(),
        out_keys: out_keys.all(),
        out_values: out_values.words(room),
    };
    gpu.launch(&launch, tiles.units(room, MERGE_ITEMS))?;
    Ok((out_keys, out_values))
}

/// The marks in the intervals.
fn marks(gpu: &Gpu, bits: &GpuArray<u32>, bounds: &Bounds<Gpu>, room: usize) -> Result<GpuArray<u32>> {
    let marks = gpu.empty::<u32>(mark_words(room))?;
    let launch = ExpandMarks {
        bits: bits.all(),
        starts: bounds.starts.all(),
        offsets: bounds.offsets.all(),
        out_marks: marks.all(),
    };
    gpu.launch(&launch, mark_words(room))?;
    Ok(marks)
}
