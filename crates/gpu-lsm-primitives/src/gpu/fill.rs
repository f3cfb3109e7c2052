//! fill: what the host can say in a few words, without a copy of its memory. Kernels: kernels/fill.rs. Twin:
//! host/mod.rs.

use super::array::GpuArray;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use crate::entries::mark_words;
use crate::error::Result;

impl Gpu {
    /// An array of one number.
    pub(super) fn number(&self, number: u32) -> Result<GpuArray<u32>> {
        let out = self.empty::<u32>(1)?;
        self.launch(&Launch {
            kernel: Kernel::FillNumber,
            buffers: vec![out.all()],
            numbers: vec![number],
            units: 1,
        })?;
        Ok(out)
    }
}

/// A bit for each of `len` positions, set from the `first` on.
pub(super) fn marks(gpu: &Gpu, first: usize, len: usize) -> Result<GpuArray<u32>> {
    let out = gpu.empty::<u32>(mark_words(len))?;
    gpu.launch(&Launch {
        kernel: Kernel::FillMarks,
        buffers: vec![out.all()],
        numbers: vec![first as u32, len as u32],
        units: mark_words(len),
    })?;
    Ok(out)
}
