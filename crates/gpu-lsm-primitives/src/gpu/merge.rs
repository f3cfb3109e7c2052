//! merge: one sorted list from a newer and an older one. Kernels: kernels/merge.rs. Twin: host/merge.rs.

use super::array::{GpuArray, GpuCount};
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use super::{copy, marks, select};
use crate::backend::{Array, check_entries};
use crate::entries::{Pile, mark_words};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::MERGE_ITEMS;
use crate::value::Value;

/// One launch, and where there are marks one more for those of each side.
pub(super) fn merge<K: Key, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
) -> Result<Pile<Gpu, K, V>> {
    if newer.len == 0 || older.len == 0 {
        return Ok(if newer.len == 0 { older.clone() } else { newer.clone() });
    }
    if newer.marks.is_none() && older.marks.is_none() {
        return merge_into(gpu, newer, older, &gpu.empty::<u32>(0)?);
    }
    merge_marked(gpu, newer, older)
}

/// The same of two that are not empty and have no marks, and how many entries newer ones hide.
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
    launch(gpu, Kernel::Merge(K::WIDTH, V::WORDS), newer, older, hidden, vec![])
}

/// The marks of both sides are brought together first, behind room for those of the output.
fn merge_marked<K: Key, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
) -> Result<Pile<Gpu, K, V>> {
    let words = mark_words(newer.len + older.len);
    let len_of = |side: &Pile<Gpu, K, V>| side.marks.as_ref().map_or(0, Array::len);
    let (newer_at, older_at) = (words, words + len_of(newer));
    let marks = gpu.empty::<u32>(older_at + len_of(older))?;
    let mut numbers = vec![0, 0];
    for (number, (side, at)) in numbers.iter_mut().zip([(newer, newer_at), (older, older_at)]) {
        if let Some(side_marks) = &side.marks {
            copy::copy(gpu, side_marks, side_marks.len(), &marks, at)?;
            *number = at as u32;
        }
    }
    let kernel = Kernel::MergeMarked(K::WIDTH, V::WORDS);
    let merged = launch(gpu, kernel, newer, older, &marks, numbers)?;
    Ok(Pile { marks: Some(marks.prefix(words)), ..merged })
}

/// Merges the keys and values of two piles.
fn launch<K: Key, V: Value>(
    gpu: &Gpu,
    kernel: Kernel,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
    last: &GpuArray<u32>,
    numbers: Vec<u32>,
) -> Result<Pile<Gpu, K, V>> {
    let len = newer.len + older.len;
    check_entries::<_, K, V>(gpu, len as u64)?;
    let (keys, values) = (gpu.empty::<K>(len)?, gpu.empty::<V>(len)?);
    let buffers = vec![
        newer.keys.first(newer.len),
        newer.values.words(newer.len),
        older.keys.first(older.len),
        older.values.words(older.len),
        keys.all(),
        values.words(len),
        last.all(),
    ];
    gpu.launch(&Launch { kernel, buffers, numbers, units: len.div_ceil(MERGE_ITEMS as usize) })?;
    Ok(Pile { keys, values, marks: None, len })
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

/// A bit for each older key, set where the newer ones have it too.
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
    marks::to_bits(gpu, &shadowed, older.len)
}
