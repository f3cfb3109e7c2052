//! sort: keys with their positions, ascending, stable. Kernels: kernels/sort.rs. Twin: host/sort.rs.

use super::array::GpuArray;
use super::device::Gpu;
use super::registry::{SortMerge, SortTiles};
use crate::backend::Array;
use crate::code::Code;
use crate::entries::Sorted;
use crate::error::Result;
use crate::tuning::{MERGE_ITEMS, SORT_ITEMS};

/// Sorts tiles, and then merges them in pairs, one launch per doubling. Two pairs of buffers take turns as input and
/// output.
pub(super) fn sort<K: Code>(gpu: &Gpu, keys: &GpuArray<K>) -> Result<Sorted<Gpu, K>> {
    let tile = (gpu.shape().units * SORT_ITEMS) as usize;
    let mut sorted = new_pair(gpu, keys.len())?;
    let launch = SortTiles {
        key: K::WIDTH,
        keys: keys.all(),
        out_keys: sorted.keys.all(),
        out_positions: sorted.positions.all(),
    };
    gpu.launch(&launch, keys.len().div_ceil(SORT_ITEMS as usize))?;
    if keys.len() <= tile {
        return Ok(sorted);
    }
    let mut other = new_pair(gpu, keys.len())?;
    let widths = std::iter::successors(Some(tile), |width| Some(2 * width));
    for width in widths.take_while(|&width| width < keys.len()) {
        let launch = SortMerge {
            key: K::WIDTH,
            keys: sorted.keys.all(),
            positions: sorted.positions.all(),
            out_keys: other.keys.all(),
            out_positions: other.positions.all(),
            width: width as u32,
        };
        gpu.launch(&launch, keys.len().div_ceil(MERGE_ITEMS as usize))?;
        std::mem::swap(&mut sorted, &mut other);
    }
    Ok(sorted)
}

fn new_pair<K: Code>(gpu: &Gpu, len: usize) -> Result<Sorted<Gpu, K>> {
    Ok(Sorted { keys: gpu.empty(len)?, positions: gpu.empty(len)? })
}
