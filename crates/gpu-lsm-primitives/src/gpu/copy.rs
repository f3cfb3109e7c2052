//! copy: the first elements of an array into one of just that size; and what it is for, settling pending entries.
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

/// Reads the counts back, trims the arrays where much of them is unused, and confirms that all of it was written.
pub(super) fn settle<K: Key, V: Value>(gpu: &Gpu, pending: Pending<Gpu, K, V>) -> Result<Run<Gpu, K, V>> {
    let mut counts = vec![&pending.count];
    counts.extend(pending.marks.as_ref().map(|marks| &marks.count));
    let counts = gpu.read_back(&counts)?;
    let len = counts[0] as usize;
    let tombstones = counts.get(1).map_or(0, |&count| count as usize);
    if len > pending.bound || tombstones > len {
        let message =
            format!("it counts {len} entries and {tombstones} tombstones of at most {}", pending.bound);
        return Err(Error::Failed { message });
    }

    let keys = trimmed(gpu, pending.keys, len)?;
    let values = trimmed(gpu, pending.values, len)?;
    let marks = match pending.marks {
        Some(marks) if tombstones > 0 => Some(trimmed(gpu, marks.bits, mark_words(len))?),
        _ => None,
    };
    let mut memory = vec![keys.memory(), values.memory()];
    memory.extend(marks.as_ref().map(GpuArray::memory));
    gpu.confirm(&memory)?;
    Ok(Run { keys, values, marks, len, tombstones })
}

/// The array itself where it is nearly full, else a copy of its first `len` elements.
fn trimmed<T: Plain>(gpu: &Gpu, array: GpuArray<T>, len: usize) -> Result<GpuArray<T>> {
    if (array.len() - len) * SLACK <= array.len() || size_of::<T>() == 0 {
        return Ok(array);
    }
    let exact = gpu.empty::<T>(len)?;
    let out = exact.words(len);
    gpu.launch(&Launch {
        kernel: Kernel::Copy,
        units: out.len.div_ceil(ITEMS as usize),
        buffers: vec![array.words(len), out],
        numbers: vec![],
    })?;
    Ok(exact)
}
