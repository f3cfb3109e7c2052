//! recode: converts natives to codes or codes to natives. Kernel: kernels/recode.rs. Twin: host/recode.rs.

use super::array::GpuArray;
use super::axes::Tiles;
use super::device::Gpu;
use super::registry::Recode;
use crate::backend::Array;
use crate::error::Result;
use crate::recoding::Recoding;
use crate::value::Plain;

/// One pass over the words.
pub(super) fn recode<T: Plain, U: Plain>(
    gpu: &Gpu,
    keys: &GpuArray<T>,
    recoding: Recoding,
) -> Result<GpuArray<U>> {
    let len = keys.len();
    let out = gpu.empty::<U>(len)?;
    let tiles = gpu.shape().tiles;
    let launch = Recode { recoding, tiles, words: keys.words(len), out: out.words(len) };
    let units = match tiles {
        Tiles::Direct => len,
        Tiles::Staged => launch.out.len,
    };
    gpu.launch(&launch, units)?;
    Ok(out)
}
