//! select: keeps the last of equal keys, unless it is marked to be dropped. Kernels: kernels/select.rs. Twin:
//! host/select.rs.

use super::array::{GpuArray, GpuCount};
use super::axes::Lists;
use super::device::Gpu;
use super::registry::{SelectCount, SelectMarks, SelectOffsets, SelectWrite};
use super::{marks, scan};
use crate::backend::Array;
use crate::code::Code;
use crate::entries::{Candidates, Pile};
use crate::error::Result;
use crate::tuning::ITEMS;
use crate::value::Value;

/// A pile to select from, and for each unit how many entries and how many tombstones it keeps.
pub(super) struct Counted<'a, K: Code, V: Value> {
    pile: &'a Pile<Gpu, K, V>,
    dropped: Option<&'a GpuArray<u32>>,
    offsets: Option<&'a GpuArray<u32>>,
    starts: GpuArray<u32>,
    mark_starts: Option<GpuArray<u32>>,
}

/// Counts the entries of a pile that stay. If it has the entries of several queries, `offsets` say where each query's
/// start.
pub(super) fn count<'a, K: Code, V: Value>(
    gpu: &Gpu,
    pile: &'a Pile<Gpu, K, V>,
    dropped: Option<&'a GpuArray<u32>>,
    offsets: Option<&'a GpuArray<u32>>,
) -> Result<Counted<'a, K, V>> {
    let units = pile.len.div_ceil(ITEMS as usize);
    let kept = gpu.empty::<u32>(units)?;
    let kept_marks = pile.marks.as_ref().map(|_| gpu.empty::<u32>(units)).transpose()?;
    let launch = SelectCount {
        key: K::WIDTH,
        lists: lists(offsets),
        keys: pile.keys.first(pile.len),
        dropped: gpu.optional(dropped),
        marks: gpu.optional(pile.marks.as_ref()),
        offsets: gpu.optional(offsets),
        kept: kept.all(),
        kept_marks: gpu.optional(kept_marks.as_ref()),
    };
    gpu.launch(&launch, units)?;
    let starts = scan::scan(gpu, &kept)?;
    let mark_starts = kept_marks.map(|kept_marks| scan::scan(gpu, &kept_marks)).transpose()?;
    Ok(Counted { pile, dropped, offsets, starts, mark_starts })
}

impl<K: Code, V: Value> Counted<'_, K, V> {
    fn units(&self) -> usize {
        self.pile.len.div_ceil(ITEMS as usize)
    }

    /// The number of entries that stay.
    pub(super) fn entries(&self) -> GpuCount {
        GpuCount { array: self.starts.clone(), index: self.units() }
    }

    /// The number of tombstones that stay, if there may be any.
    pub(super) fn tombstones(&self) -> Option<GpuCount> {
        Some(GpuCount { array: self.mark_starts.clone()?, index: self.units() })
    }

    /// The entries that stay, in arrays for `room` entries.
    pub(super) fn write(&self, gpu: &Gpu, room: usize) -> Result<Pile<Gpu, K, V>> {
        let (keys, values) = (gpu.empty::<K>(room)?, gpu.empty::<V>(room)?);
        let launch = SelectWrite {
            key: K::WIDTH,
            words: V::WORDS,
            lists: lists(self.offsets),
            keys: self.pile.keys.first(self.pile.len),
            values: self.pile.values.words(self.pile.len),
            dropped: gpu.optional(self.dropped),
            offsets: gpu.optional(self.offsets),
            starts: self.starts.all(),
            out_keys: keys.all(),
            out_values: values.words(room),
            room: room as u32,
        };
        gpu.launch(&launch, self.units())?;
        let marks = self.pile.marks.as_ref().map(|marks| self.marks(gpu, marks, room)).transpose()?;
        Ok(Pile { keys, values, marks, len: room })
    }

    /// The marks of the entries that stay.
    fn marks(&self, gpu: &Gpu, marks: &GpuArray<u32>, room: usize) -> Result<GpuArray<u32>> {
        debug_assert!(self.offsets.is_none(), "marks are selected of one list");
        let words = gpu.empty::<u32>(room)?;
        let launch = SelectMarks {
            key: K::WIDTH,
            keys: self.pile.keys.first(self.pile.len),
            marks: marks.all(),
            dropped: gpu.optional(self.dropped),
            offsets: gpu.nothing(),
            starts: self.starts.all(),
            no_keys: gpu.nothing(),
            out_marks: words.all(),
            room: room as u32,
        };
        gpu.launch(&launch, self.units())?;
        marks::to_bits(gpu, &words, room)
    }

    /// Where the entries of each query start after the selection.
    fn offsets(&self, gpu: &Gpu, queries: usize) -> Result<GpuArray<u32>> {
        let out = gpu.empty::<u32>(queries + 1)?;
        let launch = SelectOffsets {
            key: K::WIDTH,
            keys: self.pile.keys.first(self.pile.len),
            dropped: gpu.optional(self.dropped),
            offsets: gpu.optional(self.offsets),
            starts: self.starts.all(),
            out_offsets: out.all(),
        };
        gpu.launch(&launch, queries + 1)?;
        Ok(out)
    }
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
    let counted = count(gpu, &entries, dropped.as_ref(), Some(&candidates.offsets))?;
    let offsets = counted.offsets(gpu, candidates.offsets.len() - 1)?;
    Ok(Candidates { entries: counted.write(gpu, entries.len)?, offsets })
}
