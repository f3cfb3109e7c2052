//! select: of equal keys the last, where it is not to be dropped. Kernels: kernels/select.rs. Twin: host/select.rs.

use super::array::{GpuArray, GpuCount};
use super::gather::optional;
use super::launch::Gpu;
use super::registry::{Binding, Kernel, Launch};
use super::{marks, scan};
use crate::backend::Array;
use crate::entries::{Candidates, Pile};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::ITEMS;
use crate::value::Value;

/// What is to be selected from, and how much of it each unit keeps, of all and of the tombstones.
pub(super) struct Counted<'a, K: Key, V: Value> {
    pile: &'a Pile<Gpu, K, V>,
    dropped: Option<&'a GpuArray<u32>>,
    offsets: Option<&'a GpuArray<u32>>,
    starts: GpuArray<u32>,
    mark_starts: Option<GpuArray<u32>>,
}

/// Counts what stays of a pile; `offsets` say where the entries of each query start, where it has those of several.
pub(super) fn count<'a, K: Key, V: Value>(
    gpu: &Gpu,
    pile: &'a Pile<Gpu, K, V>,
    dropped: Option<&'a GpuArray<u32>>,
    offsets: Option<&'a GpuArray<u32>>,
) -> Result<Counted<'a, K, V>> {
    let units = pile.len.div_ceil(ITEMS as usize);
    let kept = gpu.empty::<u32>(units)?;
    let kept_marks = gpu.empty::<u32>(if pile.marks.is_some() { units } else { 0 })?;
    gpu.launch(&Launch {
        kernel: Kernel::SelectCount(K::WIDTH, offsets.is_some()),
        buffers: vec![
            pile.keys.first(pile.len),
            optional(gpu, dropped)?,
            optional(gpu, pile.marks.as_ref())?,
            optional(gpu, offsets)?,
            kept.all(),
            kept_marks.all(),
        ],
        numbers: vec![],
        units,
    })?;
    let starts = scan::scan(gpu, &kept)?;
    let mark_starts = match pile.marks.is_some() {
        true => Some(scan::scan(gpu, &kept_marks)?),
        false => None,
    };
    Ok(Counted { pile, dropped, offsets, starts, mark_starts })
}

impl<K: Key, V: Value> Counted<'_, K, V> {
    fn units(&self) -> usize {
        self.pile.len.div_ceil(ITEMS as usize)
    }

    /// How many entries stay.
    pub(super) fn entries(&self) -> GpuCount {
        GpuCount { array: self.starts.clone(), index: self.units() }
    }

    /// How many tombstones stay, where there may be any.
    pub(super) fn tombstones(&self) -> Option<GpuCount> {
        Some(GpuCount { array: self.mark_starts.clone()?, index: self.units() })
    }

    /// What stays, in arrays for `room` entries.
    pub(super) fn write(&self, gpu: &Gpu, room: usize) -> Result<Pile<Gpu, K, V>> {
        let Pile { values, marks, len, .. } = self.pile;
        let (out_keys, out_values) = (gpu.empty::<K>(room)?, gpu.empty::<V>(room)?);
        let kernel = Kernel::SelectWrite(K::WIDTH, V::WORDS, self.offsets.is_some());
        self.write_to(gpu, kernel, values.words(*len), [out_keys.all(), out_values.words(room)], room)?;
        debug_assert!(marks.is_none() || self.offsets.is_none(), "marks are selected of one list");
        let out_marks = match marks {
            Some(marks) => {
                let words = gpu.empty::<u32>(room)?;
                let outputs = [gpu.empty::<K>(0)?.all(), words.all()];
                self.write_to(gpu, Kernel::SelectMarks(K::WIDTH), marks.all(), outputs, room)?;
                Some(marks::to_bits(gpu, &words, room)?)
            }
            None => None,
        };
        Ok(Pile { keys: out_keys, values: out_values, marks: out_marks, len: room })
    }

    fn write_to(
        &self,
        gpu: &Gpu,
        kernel: Kernel,
        values: Binding,
        outputs: [Binding; 2],
        room: usize,
    ) -> Result<()> {
        let mut buffers = self.inputs(gpu)?;
        buffers.insert(1, values);
        buffers.extend(outputs);
        gpu.launch(&Launch { kernel, buffers, numbers: vec![room as u32], units: self.units() })
    }

    /// Where the entries of each query start then.
    fn offsets(&self, gpu: &Gpu, queries: usize) -> Result<GpuArray<u32>> {
        let out = gpu.empty::<u32>(queries + 1)?;
        gpu.launch(&Launch {
            kernel: Kernel::SelectOffsets(K::WIDTH),
            buffers: [self.inputs(gpu)?, vec![out.all()]].concat(),
            numbers: vec![],
            units: queries + 1,
        })?;
        Ok(out)
    }

    fn inputs(&self, gpu: &Gpu) -> Result<Vec<Binding>> {
        Ok(vec![
            self.pile.keys.first(self.pile.len),
            optional(gpu, self.dropped)?,
            optional(gpu, self.offsets)?,
            self.starts.all(),
        ])
    }
}

/// A pile without what newer entries hide and what is to be dropped, in arrays of its size. Waits for its size.
pub(super) fn distinct<K: Key, V: Value>(
    gpu: &Gpu,
    pile: &Pile<Gpu, K, V>,
    dropped: Option<&GpuArray<u32>>,
) -> Result<Pile<Gpu, K, V>> {
    let counted = count(gpu, pile, dropped, None)?;
    let len = gpu.read_back(&[&counted.entries()])?[0] as usize;
    if len == pile.len { Ok(pile.clone()) } else { counted.write(gpu, len) }
}

/// The live entries of each query.
pub(super) fn live<K: Key, V: Value>(
    gpu: &Gpu,
    candidates: &Candidates<Gpu, K, V>,
) -> Result<Candidates<Gpu, K, V>> {
    let (entries, dropped) = candidates.entries.clone().without_marks();
    let counted = count(gpu, &entries, dropped.as_ref(), Some(&candidates.offsets))?;
    let offsets = counted.offsets(gpu, candidates.offsets.len() - 1)?;
    Ok(Candidates { entries: counted.write(gpu, entries.len)?, offsets })
}
