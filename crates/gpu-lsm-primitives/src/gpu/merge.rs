//! merge: merges sorted lists, newest first, into one. Kernels: kernels/merge.rs, kernels/merge/four.rs. Twin: host/merge.rs.

use super::array::{GpuArray, GpuCount};
use super::axes::Tiles;
use super::binding::Binding;
use super::device::Gpu;
use super::kernels::merge::sources_len;
use super::kernels::shared::staging::tile_len;
use super::registry::{Merge, MergeFour, MergeFourValues, MergeMarked, MergeShadowed};
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

/// What piles become.
pub(super) enum Merged<K: Code, V: Value> {
    Nothing,
    /// Without marks, and the number of hidden entries.
    Counted(Pile<Gpu, K, V>, GpuCount),
    Uncounted(Pile<Gpu, K, V>),
}

/// Merges nonempty piles, newest first. If none has marks, the last merge also counts the hidden entries.
pub(super) fn merge_all<K: Code, V: Value>(
    gpu: &Gpu,
    mut piles: Vec<Pile<Gpu, K, V>>,
) -> Result<Merged<K, V>> {
    let has_marks = piles.iter().any(|pile| pile.marks.is_some());
    let most = if has_marks { 2 } else { most_at_once(gpu) };
    while piles.len() > most {
        let first = newest_group(piles.len(), most);
        let merged = merge_some(gpu, &piles[..first], gpu.nothing())?;
        piles.splice(..first, [merged]);
    }
    match &piles[..] {
        [] => Ok(Merged::Nothing),
        [pile] => Ok(Merged::Uncounted(pile.clone())),
        [newer, older] if has_marks => Ok(Merged::Uncounted(merge_marked(gpu, newer, older)?)),
        piles => {
            let hidden = gpu.number(0)?;
            let merged = merge_some(gpu, piles, hidden.all())?;
            Ok(Merged::Counted(merged, GpuCount { array: hidden, index: 0 }))
        }
    }
}

/// The number of piles that are merged at once.
fn most_at_once(gpu: &Gpu) -> usize {
    match gpu.shape().tiles {
        Tiles::Direct => 2,
        Tiles::Staged => 4,
    }
}

/// How many of the newest piles to merge first, so that the last merge, which has most entries, has as many piles as it
/// can.
fn newest_group(piles: usize, most: usize) -> usize {
    match (piles - 1) % (most - 1) {
        0 => most,
        rest => rest + 1,
    }
}

/// Merges two, three or four nonempty piles, newest first. If `hidden` has an element, no pile may have marks.
fn merge_some<K: Code, V: Value>(
    gpu: &Gpu,
    piles: &[Pile<Gpu, K, V>],
    hidden: Binding,
) -> Result<Pile<Gpu, K, V>> {
    match piles {
        [newer, older] if newer.marks.is_some() || older.marks.is_some() => merge_marked(gpu, newer, older),
        [newer, older] => merge_into(gpu, newer, older, hidden),
        _ => merge_four(gpu, piles, hidden),
    }
}

/// Merges three or four piles without marks: keys, then values.
fn merge_four<K: Code, V: Value>(
    gpu: &Gpu,
    piles: &[Pile<Gpu, K, V>],
    hidden: Binding,
) -> Result<Pile<Gpu, K, V>> {
    let merged = room(gpu, piles.iter().map(|pile| pile.len).sum())?;
    let tiles = merged.len.div_ceil(tile_len(gpu.shape().units) as usize);
    let units = tiles * gpu.shape().units as usize;
    let has_values = V::WORDS > 0;
    let sources =
        gpu.empty::<u32>(if has_values { tiles * sources_len(gpu.shape().units) as usize } else { 0 })?;
    let keys = |age: usize| piles.get(age).map_or_else(|| gpu.nothing(), |pile| pile.keys.first(pile.len));
    let launch = MergeFour {
        key: K::WIDTH,
        a: keys(3),
        b: keys(2),
        c: keys(1),
        d: keys(0),
        out: merged.keys.all(),
        sources: sources.all(),
        hidden,
    };
    gpu.launch(&launch, units)?;
    if has_values {
        let values =
            |age: usize| piles.get(age).map_or_else(|| gpu.nothing(), |pile| pile.values.words(pile.len));
        let launch = MergeFourValues {
            words: V::WORDS,
            a: values(3),
            b: values(2),
            c: values(1),
            d: values(0),
            sources: sources.all(),
            out: merged.values.words(merged.len),
        };
        gpu.launch(&launch, units)?;
    }
    Ok(merged)
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
        tiles: gpu.shape().tiles,
        newer: newer.keys.first(newer.len),
        newer_values: newer.values.words(newer.len),
        older: older.keys.first(older.len),
        older_values: older.values.words(older.len),
        out: merged.keys.all(),
        out_values: merged.values.words(merged.len),
        hidden,
    };
    gpu.launch(&launch, gpu.shape().tiles.units(merged.len, MERGE_ITEMS))?;
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
        tiles: gpu.shape().tiles,
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
    gpu.launch(&launch, gpu.shape().tiles.units(merged.len, MERGE_ITEMS))?;
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

#[cfg(test)]
mod tests {
    use super::newest_group;

    #[test]
    fn the_last_merge_has_as_many_piles_as_it_can() {
        assert_eq!([5, 6, 7, 8].map(|piles| newest_group(piles, 4)), [2, 3, 4, 2]);
        assert_eq!([3, 4, 9].map(|piles| newest_group(piles, 2)), [2; 3]);
    }
}
