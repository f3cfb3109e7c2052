//! sort: keys with their positions, ascending, stable. Kernels: kernels/sort.rs. Twin: host/sort.rs.

use super::array::GpuArray;
use super::axes::Tiles;
use super::device::Gpu;
use super::kernels::shared::staging::tile_len;
use super::kernels::sort::sort_items;
use super::registry::{SortMerge, SortMergeFour, SortTiles};
use crate::backend::Array;
use crate::code::Code;
use crate::entries::Sorted;
use crate::error::Result;
use crate::tuning::MERGE_ITEMS;

/// Sorts tiles, and then merges them, one launch after the other. Two pairs of buffers take turns as input and output.
pub(super) fn sort<K: Code>(gpu: &Gpu, keys: &GpuArray<K>) -> Result<Sorted<Gpu, K>> {
    let tiles = gpu.shape().tiles;
    let items = sort_items(K::WIDTH, tiles) as usize;
    let mut sorted = new_pair(gpu, keys.len())?;
    let launch = SortTiles {
        key: K::WIDTH,
        tiles,
        keys: keys.all(),
        out_keys: sorted.keys.all(),
        out_positions: sorted.positions.all(),
    };
    gpu.launch(&launch, keys.len().div_ceil(items))?;
    let mut width = gpu.shape().units as usize * items;
    if keys.len() <= width {
        return Ok(sorted);
    }
    let mut other = new_pair(gpu, keys.len())?;
    while width < keys.len() {
        let is_by_four = tiles == Tiles::Staged && 2 * width < keys.len();
        if is_by_four {
            merge_fours(gpu, &sorted, &other, width)?;
        } else {
            merge_pairs(gpu, &sorted, &other, width)?;
        }
        std::mem::swap(&mut sorted, &mut other);
        width *= if is_by_four { 4 } else { 2 };
    }
    Ok(sorted)
}

/// Merges stretches of `width` keys in pairs.
fn merge_pairs<K: Code>(gpu: &Gpu, from: &Sorted<Gpu, K>, to: &Sorted<Gpu, K>, width: usize) -> Result<()> {
    let launch = SortMerge {
        key: K::WIDTH,
        tiles: gpu.shape().tiles,
        keys: from.keys.all(),
        positions: from.positions.all(),
        out_keys: to.keys.all(),
        out_positions: to.positions.all(),
        width: width as u32,
    };
    let units = match gpu.shape().tiles {
        Tiles::Direct => from.keys.len().div_ceil(MERGE_ITEMS as usize),
        Tiles::Staged => staging_units(gpu, from.keys.len(), 2 * width),
    };
    gpu.launch(&launch, units)
}

/// Merges stretches of `width` keys, four at a time.
fn merge_fours<K: Code>(gpu: &Gpu, from: &Sorted<Gpu, K>, to: &Sorted<Gpu, K>, width: usize) -> Result<()> {
    let launch = SortMergeFour {
        key: K::WIDTH,
        keys: from.keys.all(),
        positions: from.positions.all(),
        out_keys: to.keys.all(),
        out_positions: to.positions.all(),
        width: width as u32,
    };
    gpu.launch(&launch, staging_units(gpu, from.keys.len(), 4 * width))
}

/// The number of units of all cubes, if each stretch of `width` outputs has its own.
fn staging_units(gpu: &Gpu, keys: usize, width: usize) -> usize {
    let units = gpu.shape().units;
    let cubes = |keys: usize| keys.div_ceil(tile_len(units) as usize);
    (keys / width * cubes(width) + cubes(keys % width)) * units as usize
}

fn new_pair<K: Code>(gpu: &Gpu, len: usize) -> Result<Sorted<Gpu, K>> {
    Ok(Sorted { keys: gpu.empty(len)?, positions: gpu.empty(len)? })
}
