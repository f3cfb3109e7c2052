//! marks: one bit per entry, set for tombstones. Kernels: kernels/marks.rs. Twin: host/marks.rs.

use super::array::GpuArray;
use super::device::Gpu;
use super::registry::{MarksGather, MarksToBits};
use crate::backend::Array;
use crate::entries::mark_words;
use crate::error::Result;

/// The bits at `sources`.
pub(super) fn gather(gpu: &Gpu, bits: &GpuArray<u32>, sources: &GpuArray<u32>) -> Result<GpuArray<u32>> {
    let gathered = gpu.empty::<u32>(mark_words(sources.len()))?;
    let launch = MarksGather { bits: bits.all(), sources: sources.all(), out: gathered.all() };
    gpu.launch(&launch, gathered.len())?;
    Ok(gathered)
}

/// One bit for each of the first `len` words, which are 1 or 0.
pub(super) fn to_bits(gpu: &Gpu, words: &GpuArray<u32>, len: usize) -> Result<GpuArray<u32>> {
    let bits = gpu.empty::<u32>(mark_words(len))?;
    gpu.launch(&MarksToBits { words: words.first(len), bits: bits.all() }, mark_words(len))?;
    Ok(bits)
}
