//! gather: values follow their keys. Kernel: kernels/gather.rs. Twin: host/gather.rs.

use super::array::GpuArray;
use super::launch::Gpu;
use super::marks;
use super::registry::{Binding, Kernel, Launch};
use crate::backend::Array;
use crate::entries::{Pile, Sorted};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::ITEMS;
use crate::value::Value;

/// Where each output comes from: below `split` the first input, else the second, counted from `split`.
pub(super) struct Sources {
    pub(super) list: GpuArray<u32>,
    pub(super) split: usize,
}

/// The values at `sources`; zero past the end of the second input.
pub(super) fn values<V: Value>(
    gpu: &Gpu,
    first: &GpuArray<V>,
    second: Option<(&GpuArray<V>, usize)>,
    sources: &Sources,
) -> Result<GpuArray<V>> {
    let out = gpu.empty::<V>(sources.list.len())?;
    let second = match second {
        Some((second, len)) => second.words(len),
        None => optional(gpu, None)?,
    };
    gather(gpu, first, second, sources, &out, false)?;
    Ok(out)
}

/// The values at `sources` into `out`; where a source is the largest number, what stands there stays.
pub(super) fn values_into<V: Value>(
    gpu: &Gpu,
    values: &GpuArray<V>,
    sources: &Sources,
    out: &GpuArray<V>,
) -> Result<()> {
    gather(gpu, values, optional(gpu, None)?, sources, out, true)
}

fn gather<V: Value>(
    gpu: &Gpu,
    first: &GpuArray<V>,
    second: Binding,
    sources: &Sources,
    out: &GpuArray<V>,
    keeps: bool,
) -> Result<()> {
    if V::WORDS == 0 {
        return Ok(());
    }
    gpu.launch(&Launch {
        kernel: Kernel::GatherValues(V::WORDS),
        buffers: vec![first.words(first.len()), second, sources.list.all(), out.words(out.len())],
        numbers: vec![sources.split as u32, u32::from(keeps)],
        units: out.len().div_ceil(ITEMS as usize),
    })
}

/// A batch in the order of its keys: values and marks follow their keys.
pub(super) fn arrange<K: Key, V: Value>(
    gpu: &Gpu,
    sorted: &Sorted<Gpu, K>,
    values: &GpuArray<V>,
    marks: Option<&GpuArray<u32>>,
) -> Result<Pile<Gpu, K, V>> {
    let len = sorted.keys.len();
    let sources = Sources { list: sorted.positions.clone(), split: values.len() };
    let gathered = self::values(gpu, values, None, &sources)?;
    let marks = match marks {
        Some(bits) => Some(marks::gather(gpu, bits, &sorted.positions)?),
        None => None,
    };
    Ok(Pile { keys: sorted.keys.clone(), values: gathered, marks, len })
}

/// An array, or a buffer of length 0 in its place.
pub(super) fn optional(gpu: &Gpu, array: Option<&GpuArray<u32>>) -> Result<Binding> {
    match array {
        Some(array) => Ok(array.all()),
        None => Ok(gpu.empty::<u32>(0)?.all()),
    }
}
