//! recode: keys in their other form. Kernel: kernels/recode.rs. Twin: host/recode.rs.

use super::array::GpuArray;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
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
    gpu.launch(&Launch {
        kernel: Kernel::Recode(recoding),
        buffers: vec![keys.words(len), out.words(len)],
        numbers: vec![],
        units: len,
    })?;
    Ok(out)
}
