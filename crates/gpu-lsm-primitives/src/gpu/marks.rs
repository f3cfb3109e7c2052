//! marks: a bit for each entry of a run that is a tombstone; while entries move, a word for each. Kernels:
//! kernels/marks.rs. Twin: host/marks.rs.

use super::array::GpuArray;
use super::gather::optional;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use crate::entries::{Pile, Run, mark_words};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::ITEMS;
use crate::value::Value;

/// A run's entries, for a merge.
pub(super) fn pile<K: Key, V: Value>(gpu: &Gpu, run: &Run<Gpu, K, V>) -> Result<Pile<Gpu, K, V>> {
    let marks = match &run.marks {
        Some(bits) => Some(to_words(gpu, bits, None, run.len)?),
        None => None,
    };
    Ok(Pile { keys: run.keys.clone(), values: run.values.clone(), marks, len: run.len })
}

/// A word for each of `len` entries, which stand at `sources` where those are given.
pub(super) fn to_words(
    gpu: &Gpu,
    bits: &GpuArray<u32>,
    sources: Option<&GpuArray<u32>>,
    len: usize,
) -> Result<GpuArray<u32>> {
    let words = gpu.empty::<u32>(len)?;
    gpu.launch(&Launch {
        kernel: Kernel::MarksToWords,
        buffers: vec![bits.all(), optional(gpu, sources)?, words.all()],
        numbers: vec![],
        units: len.div_ceil(ITEMS as usize),
    })?;
    Ok(words)
}

/// A bit for each of the first `len` words.
pub(super) fn to_bits(gpu: &Gpu, words: &GpuArray<u32>, len: usize) -> Result<GpuArray<u32>> {
    let bits = gpu.empty::<u32>(mark_words(len))?;
    gpu.launch(&Launch {
        kernel: Kernel::MarksToBits,
        buffers: vec![words.first(len), bits.all()],
        numbers: vec![],
        units: mark_words(len),
    })?;
    Ok(bits)
}
