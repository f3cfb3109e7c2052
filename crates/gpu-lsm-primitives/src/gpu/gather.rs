//! gather: brings values into the order of their keys. Kernel: kernels/gather.rs. Twin: host/gather.rs.

use super::array::GpuArray;
use super::binding::Binding;
use super::device::Gpu;
use super::marks;
use super::registry::GatherValues;
use crate::backend::Array;
use crate::code::Code;
use crate::entries::{Pile, Sorted};
use crate::error::Result;
use crate::tuning::ITEMS;
use crate::value::Value;

/// For each output its position in the first input or, from `split` on, `split` plus its position in the second.
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
    let second = second.map_or_else(|| gpu.nothing(), |(second, len)| second.words(len));
    gather(gpu, first, second, sources, &out, Keep::Nothing)?;
    Ok(out)
}

/// Writes the values at `sources` to `out`. An output whose source is the largest number keeps its previous content.
pub(super) fn values_into<V: Value>(
    gpu: &Gpu,
    values: &GpuArray<V>,
    sources: &Sources,
    out: &GpuArray<V>,
) -> Result<()> {
    gather(gpu, values, gpu.nothing(), sources, out, Keep::WithoutSource)
}

/// Which outputs keep their previous content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Nothing,
    WithoutSource,
}

fn gather<V: Value>(
    gpu: &Gpu,
    first: &GpuArray<V>,
    second: Binding,
    sources: &Sources,
    out: &GpuArray<V>,
    keep: Keep,
) -> Result<()> {
    if V::WORDS == 0 {
        return Ok(());
    }
    let launch = GatherValues {
        words: V::WORDS,
        tiles: gpu.shape().tiles,
        first: first.words(first.len()),
        second,
        sources: sources.list.all(),
        out: out.words(out.len()),
        split: sources.split as u32,
        keep: u32::from(keep == Keep::WithoutSource),
    };
    gpu.launch(&launch, out.len().div_ceil(ITEMS as usize))
}

/// Brings the values and marks of a batch into the order of its sorted keys.
pub(super) fn arrange<K: Code, V: Value>(
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
