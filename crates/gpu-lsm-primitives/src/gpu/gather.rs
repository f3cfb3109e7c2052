//! gather: values and marks follow their keys. Kernels: kernels/gather.rs. Twin: host/gather.rs.

use super::array::{GpuArray, GpuCount};
use super::launch::Gpu;
use super::registry::{Binding, Kernel, Launch};
use crate::backend::Array;
use crate::entries::{Marks, mark_words};
use crate::error::Result;
use crate::tuning::ITEMS;
use crate::value::Value;

/// Where each output comes from: below `split` the first input, else the second, counted from `split`.
pub(super) struct Sources {
    pub(super) list: GpuArray<u32>,
    pub(super) count: GpuCount,
    pub(super) split: usize,
}

impl Sources {
    fn numbers(&self) -> Vec<u32> {
        vec![self.count.index as u32, self.split as u32]
    }
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
        buffers: vec![
            first.words(first.len()),
            second,
            sources.list.all(),
            sources.count.array.all(),
            out.words(out.len()),
        ],
        numbers: [sources.numbers(), vec![u32::from(keeps)]].concat(),
        units: out.len().div_ceil(ITEMS as usize),
    })
}

/// The marks at `sources`, and how many are set; nothing where neither input has marks.
pub(super) fn marks(
    gpu: &Gpu,
    first: Option<&GpuArray<u32>>,
    second: Option<&GpuArray<u32>>,
    sources: &Sources,
) -> Result<Option<Marks<Gpu>>> {
    if first.is_none() && second.is_none() {
        return Ok(None);
    }
    let bits = gpu.empty::<u32>(mark_words(sources.list.len()))?;
    let total = gpu.number(0)?;
    gpu.launch(&Launch {
        kernel: Kernel::GatherMarks,
        buffers: vec![
            optional(gpu, first)?,
            optional(gpu, second)?,
            sources.list.all(),
            sources.count.array.all(),
            bits.all(),
            total.all(),
        ],
        numbers: sources.numbers(),
        units: bits.len(),
    })?;
    Ok(Some(Marks { bits, count: GpuCount { array: total, index: 0 } }))
}

/// An array, or a buffer of length 0 in its place.
pub(super) fn optional(gpu: &Gpu, array: Option<&GpuArray<u32>>) -> Result<Binding> {
    match array {
        Some(array) => Ok(array.all()),
        None => Ok(gpu.empty::<u32>(0)?.all()),
    }
}
