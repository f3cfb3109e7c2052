//! merge: one sorted list from a newer and an older one. Kernels: kernels/merge.rs. Twin: host/merge.rs.

use super::array::{GpuArray, GpuCount};
use super::gather::optional;
use super::launch::Gpu;
use super::registry::{Binding, Kernel, Launch};
use super::select;
use crate::backend::check_entries;
use crate::entries::Pile;
use crate::error::Result;
use crate::key::Key;
use crate::tuning::ITEMS;
use crate::value::Value;

/// One launch for keys and values, and one for the marks where there are any.
pub(super) fn merge<K: Key, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
) -> Result<Pile<Gpu, K, V>> {
    if newer.len == 0 || older.len == 0 {
        return Ok(if newer.len == 0 { older.clone() } else { newer.clone() });
    }
    merge_into(gpu, newer, older, &gpu.empty::<u32>(0)?)
}

/// The same of two that are not empty, and how many entries newer ones hide.
pub(super) fn merge_and_count<K: Key, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
) -> Result<(Pile<Gpu, K, V>, GpuCount)> {
    let hidden = gpu.number(0)?;
    let merged = merge_into(gpu, newer, older, &hidden)?;
    Ok((merged, GpuCount { array: hidden, index: 0 }))
}

/// Adds how many entries newer ones hide to `hidden`, where that has a place for it.
fn merge_into<K: Key, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
    hidden: &GpuArray<u32>,
) -> Result<Pile<Gpu, K, V>> {
    let len = newer.len + older.len;
    check_entries::<_, K, V>(gpu, len as u64)?;
    let (keys, values) = (gpu.empty::<K>(len)?, gpu.empty::<V>(len)?);
    let inputs = (newer.values.words(newer.len), older.values.words(older.len));
    let kernel = Kernel::Merge(K::WIDTH, V::WORDS);
    launch(gpu, kernel, newer, older, inputs, [keys.all(), values.words(len), hidden.all()])?;
    let marks = match newer.marks.is_some() || older.marks.is_some() {
        true => {
            let marks = gpu.empty::<u32>(len)?;
            let inputs = (optional(gpu, newer.marks.as_ref())?, optional(gpu, older.marks.as_ref())?);
            let outputs = [gpu.empty::<K>(0)?.all(), marks.all(), optional(gpu, None)?];
            launch(gpu, Kernel::MergeMarks(K::WIDTH), newer, older, inputs, outputs)?;
            Some(marks)
        }
        false => None,
    };
    Ok(Pile { keys, values, marks, len })
}

/// Merges what belongs to the keys of two piles.
fn launch<K: Key, V: Value>(
    gpu: &Gpu,
    kernel: Kernel,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
    (newer_values, older_values): (Binding, Binding),
    outputs: [Binding; 3],
) -> Result<()> {
    let mut buffers =
        vec![newer.keys.first(newer.len), newer_values, older.keys.first(older.len), older_values];
    buffers.extend(outputs);
    let units = (newer.len + older.len).div_ceil(ITEMS as usize);
    gpu.launch(&Launch { kernel, buffers, numbers: vec![], units })
}

/// Both sides without what newer entries hide.
pub(super) fn shortened<K: Key, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
) -> Result<[Pile<Gpu, K, V>; 2]> {
    let newer = select::distinct(gpu, newer, None)?;
    let older = select::distinct(gpu, older, Some(&shadowed(gpu, &newer, older)?))?;
    Ok([newer, older])
}

/// A word for each older key, 1 where the newer ones have it too.
fn shadowed<K: Key, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
) -> Result<GpuArray<u32>> {
    let shadowed = gpu.empty::<u32>(older.len)?;
    gpu.launch(&Launch {
        kernel: Kernel::MergeShadowed(K::WIDTH),
        buffers: vec![newer.keys.first(newer.len), older.keys.first(older.len), shadowed.all()],
        numbers: vec![],
        units: older.len,
    })?;
    Ok(shadowed)
}
