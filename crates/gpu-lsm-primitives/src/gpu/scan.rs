//! scan: the sum of all elements before each, and of all at the end. Kernels: kernels/scan.rs. Twin: host/scan.rs.

use super::array::GpuArray;
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use crate::backend::Array;
use crate::error::Result;

/// Tiles' sums first, by this function again where they are more than a tile, then each tile on top of its sum.
pub(super) fn scan(gpu: &Gpu, numbers: &GpuArray<u32>) -> Result<GpuArray<u32>> {
    let tiles = numbers.len().div_ceil(gpu.shape().tile());
    if tiles == 0 {
        return gpu.number(0);
    }
    let units = tiles * gpu.shape().units as usize;
    let starts = if tiles == 1 {
        gpu.empty(0)?
    } else {
        let sums = gpu.empty::<u32>(tiles)?;
        gpu.launch(&Launch {
            kernel: Kernel::ScanReduce,
            buffers: vec![numbers.all(), sums.all()],
            numbers: vec![],
            units,
        })?;
        scan(gpu, &sums)?
    };
    let out = gpu.empty::<u32>(numbers.len() + 1)?;
    gpu.launch(&Launch {
        kernel: Kernel::ScanApply,
        buffers: vec![numbers.all(), starts.all(), out.all()],
        numbers: vec![],
        units,
    })?;
    Ok(out)
}
