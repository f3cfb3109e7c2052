//! fill: writes a number or marks from a few parameters, without a copy of host memory. Kernels: kernels/fill.rs. Twin:
//! host/mod.rs.

use super::array::GpuArray;
use super::device::Gpu;
use super::registry::{FillMarks, FillNumber};
use crate::entries::mark_words;
use crate::error::Result;

impl Gpu {
    /// An array of one number.
    pub(super) fn number(&self, number: u32) -> Result<GpuArray<u32>> {
        let out = self.empty::<u32>(1)?;
        self.launch(&FillNumber { out: out.all(), number }, 1)?;
        Ok(out)
    }
}

/// One bit for each of `len` positions, set from position `first` on.
pub(super) fn marks(gpu: &Gpu, first: usize, len: usize) -> Result<GpuArray<u32>> {
    let out = gpu.empty::<u32>(mark_words(len))?;
    gpu.launch(&FillMarks { out: out.all(), first: first as u32, len: len as u32 }, mark_words(len))?;
    Ok(out)
}
