//! marks: one bit per entry, set for tombstones. Kernels: kernels/marks.rs. Twin: host/marks.rs.

use super::array::GpuArray;
use super::device::Gpu;
use super::registry::{MarksGather, MarksToBits};
use crate::backend::Array;
use crate::entries::mark_words;
use crate::error::Result;
use crate::tuning::MERGE_ITEMS;

/// The bits at `sources`.
pub(super) fn gather(gpu: &Gpu, bits: &GpuArray<u32>, sources: &GpuArray<u32>) -> Result<GpuArray<u32>> {
    let gathered = gpu.empty::<u32>(mark_words(sources.len()))?;
    let tiles = gpu.shape().tiles;
    let launch = MarksGather { tiles, bits: bits.all(), sources: sources.all(), out: gathered.all() };
    gpu.launch(&launch, tiles.units(sources.len(), MERGE_ITEMS))?;
    Ok(gathered)
}

/// One bit for each of the first `len` words, set unless the word is zero.
pub(super) fn to_bits(gpu: &Gpu, words: &GpuArray<u32>, len: usize) -> Result<GpuArray<u32>> {
    let bits = gpu.empty::<u32>(mark_words(len))?;
    let tiles = gpu.shape().tiles;
    let launch = MarksToBits { tiles, words: words.first(len), bits: bits.all() };
    gpu.launch(&launch, tiles.units(len, MERGE_ITEMS))?;
    Ok(bits)
}
