//! select: keeps the last of equal keys, unless it is marked to be dropped. Kernels: kernels/select.rs. Twin:
//! host/select.rs.

use super::array::{GpuArray, GpuCount};
use super::axes::{Lists, Tiles};
use super::device::Gpu;
use super::registry::{SelectCount, SelectMarks, SelectOffsets, SelectWrite};
use super::{marks, scan};
use crate::backend::Array;
use crate::code::Code;
use crate::entries::{Candidates, Pile};
use crate::error::Result;
use crate::tuning::ITEMS;
use crate::value::Value;

/// A pile to select from, and for each unit, or each cube if tiles are staged, how many entries and how many tombstones
/// all before it keep.
pub(super) struct Counted<'a, K: Code, V: Value> {
    pile: &'a Pile<Gpu, K, V>,
    dropped: Option<&'a GpuArray<u32>>,
    offsets: Option<&'a GpuArray<u32>>,
    starts: GpuArray<u32>,
    mark_starts: Option<GpuArray<u32>>,
    /// For each unit, how many entries the units before it in its cube keep. Only queries' lists in staged tiles need
    /// it.
    before: Option<GpuArray<u32>>,
}

/// Counts the entries of a pile that stay. If it has the entries of several queries, `offsets` say where each query's
/// start.
pub(super) fn count<'a, K: Code, V: Value>(
    gpu: &Gpu,
    pile: &'a Pile<Gpu, K, V>,
    dropped: Option<&'a GpuArray<u32>>,
    offsets: Option<&'a GpuArray<u32>>,
) -> Result<Counted<'a, K, V>> {
    let tiles = gpu.shape().tiles;
    let units = tiles.units(pile.len, ITEMS);
    let (counts, before) = match tiles {
        Tiles::Direct => (units, None),
        Tiles::Staged => {
            let before = offsets.map(|_| gpu.empty::<u32>(units)).transpose()?;
            (pile.len.div_ceil(gpu.shape().tile()), before)
        }
    };
    let kept = gpu.empty::<u32>(counts)?;
    let kept_marks = pile.marks.as_ref().map(|_| gpu.empty::<u32>(counts)).transpose()?;
    let launch = SelectCount {
        key: K::WIDTH,
        lists: lists(offsets),
        tiles,
        keys: pile.keys.first(pile.len),
        dropped: gpu.optional(dropped),
        marks: gpu.optional(pile.marks.as_ref()),
        offsets: gpu.optional(offsets),
        kept: kept.all(),
        kept_marks: gpu.optional(kept_marks.as_ref()),
        before: gpu.optional(before.as_ref()),
    };
    gpu.launch(&launch, units)?;
    let starts = scan::scan(gpu, &kept)?;
    let mark_starts = kept_marks.map(|kept_marks| scan::scan(gpu, &kept_marks)).transpose()?;
    Ok(Counted { pile, dropped, offsets, starts, mark_starts, before })
}

impl<K: Code, V: Value> Counted<'_, K, V> {
    /// The number of entries that stay.
    pub(super) fn entries(&self) -> GpuCount {
        total(&self.starts)
    }

    /// The number of tombstones that stay, if there may be any.
    pub(super) fn tombstones(&self) -> Option<GpuCount> {
        self.mark_starts.as_ref().map(total)
    }

    /// The entries that stay, in arrays for `room` entries.
    pub(super) fn write(&self, gpu: &Gpu, room: usize) -> Result<Pile<Gpu, K, V>> {
        let (keys, values) = (gpu.empty::<K>(room)?, gpu.empty::<V>(room)?);
        let launch = SelectWrite {
            key: K::WIDTH,
            words: V::WORDS,
            lists: lists(self.offsets),
            tiles: gpu.shape().tiles,
            keys: self.pile.keys.first(self.pile.len),
            values: self.pile.values.words(self.pile.len),
            dropped: gpu.optional(self.dropped),
            offsets: gpu.optional(self.offsets),
            starts: self.starts.all(),
            out_keys: keys.all(),
            out_values: values.words(room),
            room: room as u32,
        };
        gpu.launch(&launch, gpu.shape().tiles.units(self.pile.len, ITEMS))?;
        let marks = self.pile.marks.as_ref().map(|marks| self.marks(gpu, marks, room)).transpose()?;
        Ok(Pile { keys, values, marks, len: room })
    }

    /// The marks of the entries that stay.
    fn marks(&self, gpu: &Gpu, marks: &GpuArray<u32>, room: usize) -> Result<GpuArray<u32>> {
        debug_assert!(self.offsets.is_none(), "marks are selected of one list");
        let words = gpu.empty::<u32>(room)?;
        let launch = SelectMarks {
            key: K::WIDTH,
            tiles: gpu.shape().tiles,
            keys: self.pile.keys.first(self.pile.len),
            marks: marks.all(),
            dropped: gpu.optional(self.dropped),
            offsets: gpu.nothing(),
            starts: self.starts.all(),
            no_keys: gpu.nothing(),
            out_marks: words.all(),
            room: room as u32,
        };
        gpu.launch(&launch, gpu.shape().tiles.units(self.pile.len, ITEMS))?;
        marks::to_bits(gpu, &words, room)
    }

    /// Where the entries of each query start after the selection.
    fn offsets(&self, gpu: &Gpu, queries: usize) -> Result<GpuArray<u32>> {
        let out = gpu.empty::<u32>(queries + 1)?;
        let launch = SelectOffsets {
            key: K::WIDTH,
            tiles: gpu.shape().tiles,
            keys: self.pile.keys.first(self.pile.len),
            dropped: gpu.optional(self.dropped),
            offsets: gpu.optional(self.offsets),
            starts: self.starts.all(),
            before: gpu.optional(self.before.as_ref()),
            out_offsets: out.all(),
        };
        gpu.launch(&launch, queries + 1)?;
        Ok(out)
    }
}

/// The last of running sums.
fn total(starts: &GpuArray<u32>) -> GpuCount {
    GpuCount { array: starts.clone(), index: starts.len() - 1 }
}

fn lists(offsets: Option<&GpuArray<u32>>) -> Lists {
    if offsets.is_some() { Lists::PerQuery } else { Lists::One }
}

/// A pile without hidden entries and without those to be dropped, in arrays of exact size. Waits for the size.
pub(super) fn distinct<K: Code, V: Value>(
    gpu: &Gpu,
    pile: &Pile<Gpu, K, V>,
    dropped: Option<&GpuArray<u32>>,
) -> Result<Pile<Gpu, K, V>> {
    let counted = count(gpu, pile, dropped, None)?;
    let len = gpu.read_back(&[&counted.entries()])?[0] as usize;
    if len == pile.len { Ok(pile.clone()) } else { counted.write(gpu, len) }
}

/// The live entries of each query.
pub(super) fn live<K: Code, V: Value>(
    gpu: &Gpu,
    candidates: &Candidates<Gpu, K, V>,
) -> Result<Candidates<Gpu, K, V>> {
    let (entries, dropped) = candidates.entries.clone().without_marks();
    if candidates.offsets.len() == 1 {
        // There is no query, and the kernels look at one at least.
        return Ok(Candidates { entries, offsets: candidates.offsets.clone() });
    }
    let counted = count(gpu, &entries, dropped.as_ref(), Some(&candidates.offsets))?;
    let offsets = counted.offsets(gpu, candidates.offsets.len() - 1)?;
    Ok(Candidates { entries: counted.write(gpu, entries.len)?, offsets })
}
