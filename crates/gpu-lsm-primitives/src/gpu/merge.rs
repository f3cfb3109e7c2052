//! merge: merges a newer and an older sorted list into one. Kernels: kernels/merge.rs. Twin: host/merge.rs.

use super::array::{GpuArray, GpuCount};
use super::binding::Binding;
use super::device::Gpu;
use super::registry::{Merge, MergeMarked, MergeShadowed};
use super::{copy, marks, select};
use crate::backend::{Array, check_entries};
use crate::code::Code;
use crate::entries::{Pile, mark_words};
use crate::error::Result;
use crate::tuning::MERGE_ITEMS;
use crate::value::Value;

/// One launch. If there are marks, each side's marks take one more.
pub(super) fn merge<K: Code, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
) -> Result<Pile<Gpu, K, V>> {
    if newer.len == 0 || older.len == 0 {
        return Ok(if newer.len == 0 { older.clone() } else { newer.clone() });
    }
    if newer.marks.is_none() && older.marks.is_none() {
        return merge_into(gpu, newer, older, gpu.nothing());
    }
    merge_marked(gpu, newer, older)
}

/// Merges two nonempty piles without marks, and counts their hidden entries.
pub(super) fn merge_and_count<K: Code, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
) -> Result<(Pile<Gpu, K, V>, GpuCount)> {
    let hidden = gpu.number(0)?;
    let merged = merge_into(gpu, newer, older, hidden.all())?;
    Ok((merged, GpuCount { array: hidden, index: 0 }))
}

/// Merges, and adds the number of hidden entries to `hidden`, if that has an element.
fn merge_into<K: Code, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
    hidden: Binding,
) -> Result<Pile<Gpu, K, V>> {
    let merged = room(gpu, newer.len + older.len)?;
    let launch = Merge {
        key: K::WIDTH,
        words: V::WORDS,
        newer: newer.keys.first(newer.len),
        newer_values: newer.values.words(newer.len),
        older: older.keys.first(older.len),
        older_values: older.values.words(older.len),
        out: merged.keys.all(),
        out_values: merged.values.words(merged.len),
        hidden,
    };
    gpu.launch(&launch, merged.len.div_ceil(MERGE_ITEMS as usize))?;
    Ok(merged)
}

/// Merges with marks. One array gets room for the marks of the output, and behind it the marks of both sides.
fn merge_marked<K: Code, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
) -> Result<Pile<Gpu, K, V>> {
    let words = mark_words(newer.len + older.len);
    let len_of = |side: &Pile<Gpu, K, V>| side.marks.as_ref().map_or(0, Array::len);
    let (newer_at, older_at) = (words, words + len_of(newer));
    let marks = gpu.empty::<u32>(older_at + len_of(older))?;
    let newer_marks = copy_marks(gpu, newer, &marks, newer_at)?;
    let older_marks = copy_marks(gpu, older, &marks, older_at)?;
    let merged = room(gpu, newer.len + older.len)?;
    let launch = MergeMarked {
        key: K::WIDTH,
        words: V::WORDS,
        newer: newer.keys.first(newer.len),
        newer_values: newer.values.words(newer.len),
        older: older.keys.first(older.len),
        older_values: older.values.words(older.len),
        out: merged.keys.all(),
        out_values: merged.values.words(merged.len),
        marks: marks.all(),
        newer_marks,
        older_marks,
    };
    gpu.launch(&launch, merged.len.div_ceil(MERGE_ITEMS as usize))?;
    Ok(Pile { marks: Some(marks.prefix(words)), ..merged })
}

/// Copies the marks of one side, and returns their position; 0 if the side has none.
fn copy_marks<K: Code, V: Value>(
    gpu: &Gpu,
    side: &Pile<Gpu, K, V>,
    marks: &GpuArray<u32>,
    at: usize,
) -> Result<u32> {
    let Some(side_marks) = &side.marks else { return Ok(0) };
    copy::copy(gpu, side_marks, side_marks.len(), marks, at)?;
    Ok(at as u32)
}

/// Allocates the keys and values of a merge.
fn room<K: Code, V: Value>(gpu: &Gpu, len: usize) -> Result<Pile<Gpu, K, V>> {
    check_entries::<_, K, V>(gpu, len as u64)?;
    Ok(Pile { keys: gpu.empty(len)?, values: gpu.empty(len)?, marks: None, len })
}

/// Both sides without their hidden entries.
pub(super) fn shortened<K: Code, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
) -> Result<[Pile<Gpu, K, V>; 2]> {
    let newer = select::distinct(gpu, newer, None)?;
    let older = select::distinct(gpu, older, Some(&shadowed(gpu, &newer, older)?))?;
    Ok([newer, older])
}

/// One bit for each older key, set if it is also among the newer keys.
fn shadowed<K: Code, V: Value>(
    gpu: &Gpu,
    newer: &Pile<Gpu, K, V>,
    older: &Pile<Gpu, K, V>,
) -> Result<GpuArray<u32>> {
    let shadowed = gpu.empty::<u32>(older.len)?;
    let launch = MergeShadowed {
        key: K::WIDTH,
        newer: newer.keys.first(newer.len),
        older: older.keys.first(older.len),
        shadowed: shadowed.all(),
    };
    gpu.launch(&launch, older.len)?;
    marks::to_bits(gpu, &shadowed, older.len)
}
