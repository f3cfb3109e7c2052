//! overlay: the candidates of newer runs laid over those of an older one. Kernels: kernels/overlay.rs. Twin:
//! host/overlay.rs.

use super::array::GpuCount;
use super::gather::{self, Sources};
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use super::{merge, scan};
use crate::backend::check_entries;
use crate::entries::{Candidates, Pending, Run, Tombstones};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::ITEMS;
use crate::value::Value;

/// Counts what each unit keeps, scans, writes sources; all columns are gathered by source.
pub(super) fn overlay<K: Key, V: Value>(
    gpu: &Gpu,
    newer: &Candidates<Gpu, K, V>,
    older: &Candidates<Gpu, K, V>,
) -> Result<Candidates<Gpu, K, V>> {
    let bound = newer.entries.bound + older.entries.bound;
    check_entries::<_, K, V>(gpu, bound as u64)?;
    let units = bound.div_ceil(ITEMS as usize);
    let (newer_count, count_at) = (newer.entries.count.array.all(), newer.entries.count.index as u32);
    let inputs = [
        newer.entries.keys.all(),
        older.entries.keys.all(),
        newer.queries.all(),
        older.queries.all(),
        newer_count,
    ];
    let kept = gpu.empty::<u32>(units)?;
    gpu.launch(&Launch {
        kernel: Kernel::OverlayCount(K::WIDTH),
        buffers: [&inputs[..], &[kept.all()]].concat(),
        numbers: vec![count_at],
        units,
    })?;
    let offsets = scan::scan(gpu, &kept)?;
    let list = gpu.empty::<u32>(bound)?;
    gpu.launch(&Launch {
        kernel: Kernel::OverlayWrite(K::WIDTH),
        buffers: [&inputs[..], &[offsets.all(), list.all()]].concat(),
        numbers: vec![count_at, newer.entries.bound as u32],
        units,
    })?;

    let count = GpuCount { array: offsets, index: units };
    let sources = Sources { list, count: count.clone(), split: newer.entries.bound };
    let older_len = older.entries.bound;
    let (new, old) = (&newer.entries, &older.entries);
    let keys = gather::values(gpu, &new.keys, Some((&old.keys, older_len)), &sources)?;
    let queries = gather::values(gpu, &newer.queries, Some((&older.queries, older_len)), &sources)?;
    let values = gather::values(gpu, &new.values, Some((&old.values, older_len)), &sources)?;
    let (new_marks, old_marks) = (new.marks.as_ref(), old.marks.as_ref());
    let marks =
        gather::marks(gpu, new_marks.map(|marks| &marks.bits), old_marks.map(|marks| &marks.bits), &sources)?;
    Ok(Candidates { queries, entries: Pending { keys, values, marks, bound, count } })
}

/// The candidates without the tombstones: a merge with nothing, which compares no keys.
pub(super) fn live<K: Key, V: Value>(
    gpu: &Gpu,
    candidates: Candidates<Gpu, K, V>,
) -> Result<Candidates<Gpu, K, V>> {
    if candidates.entries.marks.is_none() {
        return Ok(candidates);
    }
    let nothing = Run::empty(gpu)?;
    let (entries, sources) = merge::merged(gpu, &candidates.entries, &nothing, Tombstones::Drop)?;
    let queries = gather::values(gpu, &candidates.queries, None, &sources)?;
    Ok(Candidates { queries, entries })
}
