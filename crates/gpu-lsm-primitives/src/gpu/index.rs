//! index: for each part of a run's key range, where its keys start, and a filter of them. Kernel: kernels/index.rs.
//! Twin: host/index.rs.

use super::array::{GpuArray, GpuCount};
use super::axes::Tiles;
use super::device::Gpu;
use super::kernels::index::ANY;
use super::registry::Index;
use crate::code::Code;
use crate::entries::{INDEX_WORDS, index_len, index_parts};
use crate::error::Result;

/// The keys that an index is built from.
#[derive(Clone, Copy)]
pub(super) enum Keys<'a> {
    /// All keys.
    All,
    /// The first keys: the count says how many.
    Counted(&'a GpuCount),
    /// All keys, if the count equals this number. Otherwise the index is not needed, and not built.
    AllIf(&'a GpuCount, u32),
}

/// One launch. `bound`: the most keys that there may be.
pub(super) fn index<K: Code>(
    gpu: &Gpu,
    keys: &GpuArray<K>,
    bound: usize,
    which: Keys<'_>,
) -> Result<GpuArray<u32>> {
    let (count, only_if) = match which {
        Keys::All => (None, ANY),
        Keys::Counted(count) => (Some(count), ANY),
        Keys::AllIf(count, number) => (Some(count), number),
    };
    let index = gpu.empty::<u32>(index_len(bound))?;
    if bound > 0 {
        let parts = index_parts(bound);
        let launch = Index {
            key: K::WIDTH,
            tiles: gpu.shape().tiles,
            keys: keys.first(bound),
            count: gpu.optional(count.map(|count| &count.array)),
            index: index.all(),
            count_at: count.map_or(0, |count| count.index as u32),
            only_if,
            parts: parts as u32,
        };
        let units_each = match gpu.shape().tiles {
            Tiles::Direct => 1,
            Tiles::Staged => INDEX_WORDS as usize,
        };
        gpu.launch(&launch, (parts + 1) * units_each)?;
    }
    Ok(index)
}
