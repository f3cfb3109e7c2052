//! mask: the values and the marks of a batch, from flags. Kernels: kernels/mask.rs and kernels/marks.rs. Twin:
//! host/mask.rs.

use super::array::GpuArray;
use super::device::Gpu;
use super::marks;
use super::registry::Mask;
use crate::backend::Array;
use crate::error::Result;
use crate::value::Value;

/// One pass over the words of the values, and one over the flags.
pub(super) fn mask<V: Value>(
    gpu: &Gpu,
    values: &GpuArray<V>,
    flags: &GpuArray<u32>,
) -> Result<(GpuArray<V>, GpuArray<u32>)> {
    let marks = marks::to_bits(gpu, flags, flags.len())?;
    if V::WORDS == 0 {
        return Ok((values.clone(), marks));
    }
    let len = values.len();
    let out = gpu.empty::<V>(len)?;
    let launch = Mask { words: V::WORDS, values: values.words(len), flags: flags.all(), out: out.words(len) };
    let units = launch.out.len;
    gpu.launch(&launch, units)?;
    Ok((out, marks))
}
