//! merge: one sorted array from a newer and an older one. Kernels: kernels/merge.rs. Twin: host/merge.rs.

use super::array::GpuCount;
use super::gather::{self, Sources};
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use super::scan;
use crate::backend::{check_entries, check_positions};
use crate::entries::{Pending, Run, Tombstones};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::ITEMS;
use crate::value::Value;

/// Counts what each unit keeps, scans, writes keys and sources; values and marks are gathered by source.
pub(super) fn merge<K: Key, V: Value>(
    gpu: &Gpu,
    newer: &Pending<Gpu, K, V>,
    older: &Run<Gpu, K, V>,
    tombstones: Tombstones,
) -> Result<Pending<Gpu, K, V>> {
    Ok(merged(gpu, newer, older, tombstones)?.0)
}

/// The merged entries, and where each came from.
pub(super) fn merged<K: Key, V: Value>(
    gpu: &Gpu,
    newer: &Pending<Gpu, K, V>,
    older: &Run<Gpu, K, V>,
    tombstones: Tombstones,
) -> Result<(Pending<Gpu, K, V>, Sources)> {
    let steps = newer.bound + older.len;
    check_positions(gpu, steps as u64)?;
    let units = steps.div_ceil(ITEMS as usize);
    let newer_marks = newer.marks.as_ref().map(|marks| &marks.bits);
    let dropped = newer_marks.filter(|_| tombstones == Tombstones::Drop);
    let inputs = [newer.keys.all(), older.keys.first(older.len), gather::optional(gpu, dropped)?];
    let (newer_count, count_at) = (newer.count.array.all(), newer.count.index as u32);

    let kept = gpu.empty::<u32>(units)?;
    gpu.launch(&Launch {
        kernel: Kernel::MergeCount(K::WIDTH),
        buffers: [&inputs[..], &[newer_count.clone(), kept.all()]].concat(),
        numbers: vec![count_at],
        units,
    })?;
    let offsets = scan::scan(gpu, &kept)?;
    let count = GpuCount { array: offsets.clone(), index: units };
    let bound = room_for::<K, V>(gpu, steps, &count)?;
    let keys = gpu.empty::<K>(bound)?;
    let list = gpu.empty::<u32>(bound)?;
    gpu.launch(&Launch {
        kernel: Kernel::MergeWrite(K::WIDTH),
        buffers: [&inputs[..], &[offsets.all(), newer_count, keys.all(), list.all()]].concat(),
        numbers: vec![count_at, newer.bound as u32],
        units,
    })?;

    let sources = Sources { list, count: count.clone(), split: newer.bound };
    let values = gather::values(gpu, &newer.values, Some((&older.values, older.len)), &sources)?;
    let marks = match tombstones {
        Tombstones::Keep => gather::marks(gpu, newer_marks, older.marks.as_ref(), &sources)?,
        Tombstones::Drop => None,
    };
    Ok((Pending { keys, values, marks, bound, count }, sources))
}

/// How many entries to make room for: as many as there can be or, where an array can't have so many, as there are.
fn room_for<K: Key, V: Value>(gpu: &Gpu, bound: usize, count: &GpuCount) -> Result<usize> {
    if check_entries::<_, K, V>(gpu, bound as u64).is_ok() {
        return Ok(bound);
    }
    let exact = gpu.read_back(&[count])?[0];
    check_entries::<_, K, V>(gpu, u64::from(exact))?;
    Ok(exact as usize)
}
