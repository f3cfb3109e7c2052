//! copy: copies elements from one array to another: for concatenation, parts of arrays, and arrays of exact size.
//! Kernels: kernels/copy.rs and, for parts, kernels/expand.rs.

use super::array::GpuArray;
use super::device::Gpu;
use super::kernels::copy::lead;
use super::registry::{Copy, Expand};
use crate::backend::Array;
use crate::code::KeyWidth;
use crate::error::Result;
use crate::tuning::{ITEMS, MERGE_ITEMS};
use crate::value::Plain;
use std::ops::Range;

/// Concatenates two arrays.
pub(super) fn concat<T: Plain>(gpu: &Gpu, first: &GpuArray<T>, second: &GpuArray<T>) -> Result<GpuArray<T>> {
    let both = gpu.empty::<T>(first.len() + second.len())?;
    copy(gpu, first, first.len(), &both, 0)?;
    copy(gpu, second, second.len(), &both, first.len())?;
    Ok(both)
}

/// A contiguous part of an array. A part that starts at the first element shares the array's memory. A kernel cannot
/// bind memory from an arbitrary element on, so any other part is copied, by `expand` as the words of one query's
/// interval.
pub(super) fn slice<T: Plain>(gpu: &Gpu, array: &GpuArray<T>, range: Range<usize>) -> Result<GpuArray<T>> {
    if range.start == 0 {
        return Ok(array.prefix(range.end));
    }
    let part = gpu.empty::<T>(range.len())?;
    let words = |elements: usize| elements * size_of::<T>() / 4;
    let starts = gpu.number(words(range.start) as u32)?;
    let offsets = concat(gpu, &gpu.number(0)?, &gpu.number(words(range.len()) as u32)?)?;
    let tiles = gpu.shape().tiles;
    let launch = Expand {
        key: KeyWidth::U32,
        words: 0,
        tiles,
        keys: array.words(range.end),
        values: gpu.nothing(),
        starts: starts.all(),
        offsets: offsets.all(),
        out_keys: part.words(range.len()),
        out_values: gpu.nothing(),
    };
    gpu.launch(&launch, tiles.units(words(range.len()), MERGE_ITEMS))?;
    Ok(part)
}

/// The array itself, or a copy of it if it was cut from a longer one.
pub(super) fn trimmed<T: Plain>(gpu: &Gpu, array: &GpuArray<T>) -> Result<GpuArray<T>> {
    if array.has_its_memory_alone() {
        return Ok(array.clone());
    }
    let exact = gpu.empty::<T>(array.len())?;
    copy(gpu, array, array.len(), &exact, 0)?;
    Ok(exact)
}

/// Copies the first `len` elements of an array to another, starting at its element `at`.
pub(super) fn copy<T: Plain>(
    gpu: &Gpu,
    from: &GpuArray<T>,
    len: usize,
    to: &GpuArray<T>,
    at: usize,
) -> Result<()> {
    let words = from.words(len);
    if words.len == 0 {
        return Ok(());
    }
    let offset = at * size_of::<T>() / 4;
    let units = (lead(offset) + words.len).div_ceil(ITEMS as usize);
    gpu.launch(&Copy { words, out: to.words(to.len()), offset: offset as u32 }, units)
}
