//! copy: elements of arrays into another; and what it is for, joining two arrays and settling pending entries.
//! Kernel: kernels/copy.rs.

use super::array::GpuArray;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use crate::backend::Array;
use crate::entries::{Pending, Run, mark_words};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::tuning::{ITEMS, SLACK};
use crate::value::{Plain, Value};

/// Reads the counts back and confirms that all of it was written, in one wait; trims the arrays where much of them is
/// unused, which is confirmed too.
pub(super) fn settle<K: Key, V: Value>(gpu: &Gpu, pending: Pending<Gpu, K, V>) -> Result<Run<Gpu, K, V>> {
    let mut counts = vec![&pending.count];
    counts.extend(pending.marks.as_ref().map(|marks| &marks.count));
    let mut memory = vec![pending.keys.memory(), pending.values.memory()];
    memory.extend(pending.marks.as_ref().map(|marks| marks.bits.memory()));
    let counts = gpu.confirm_and_read_back(&memory, &counts)?;
    let len = counts[0] as usize;
    let tombstones = counts.get(1).map_or(0, |&count| count as usize);
    if len > pending.bound || tombstones > len {
        let message =
            format!("it counts {len} entries and {tombstones} tombstones of at most {}", pending.bound);
        return Err(Error::Failed { message });
    }

    let is_tight = |room: usize, used: usize| (room - used) * SLACK <= room;
    let marks = pending.marks.map(|marks| marks.bits).filter(|_| tombstones > 0);
    let (keys, values) = (pending.keys, pending.values);
    if is_tight(keys.len(), len) {
        return Ok(Run { keys, values, marks, len, tombstones });
    }
    let keys = trimmed(gpu, &keys, len)?;
    let values = trimmed(gpu, &values, len)?;
    let marks = match marks {
        Some(marks) => Some(trimmed(gpu, &marks, mark_words(len))?),
        None => None,
    };
    let mut memory = vec![keys.memory(), values.memory()];
    memory.extend(marks.as_ref().map(GpuArray::memory));
    gpu.confirm(&memory)?;
    Ok(Run { keys, values, marks, len, tombstones })
}

/// A copy of the first `len` elements.
fn trimmed<T: Plain>(gpu: &Gpu, array: &GpuArray<T>, len: usize) -> Result<GpuArray<T>> {
    let exact = gpu.empty::<T>(len)?;
    copy(gpu, array, len, &exact, 0)?;
    Ok(exact)
}

/// One array from two.
pub(super) fn concat<T: Plain>(gpu: &Gpu, first: &GpuArray<T>, second: &GpuArray<T>) -> Result<GpuArray<T>> {
    let both = gpu.empty::<T>(first.len() + second.len())?;
    copy(gpu, first, first.len(), &both, 0)?;
    copy(gpu, second, second.len(), &both, first.len())?;
    Ok(both)
}

/// The first `len` elements of an array to another, from its element `at` on.
fn copy<T: Plain>(gpu: &Gpu, from: &GpuArray<T>, len: usize, to: &GpuArray<T>, at: usize) -> Result<()> {
    let words = from.words(len);
    gpu.launch(&Launch {
        kernel: Kernel::Copy,
        units: words.len.div_ceil(ITEMS as usize),
        buffers: vec![words, to.words(to.len())],
        numbers: vec![(at * size_of::<T>() / 4) as u32],
    })
}
