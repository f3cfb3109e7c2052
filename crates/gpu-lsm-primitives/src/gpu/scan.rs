//! scan: for each element the sum of all elements before it, and at the end the sum of all. Kernels: kernels/scan.rs.
//! Twin: host/scan.rs.

use super::array::GpuArray;
use super::device::Gpu;
use super::registry::{ScanApply, ScanReduce};
use crate::backend::Array;
use crate::error::Result;

/// Sums each tile, scans the sums (recursively if they do not fit one tile), and then scans each tile starting at its
/// sum.
pub(super) fn scan(gpu: &Gpu, numbers: &GpuArray<u32>) -> Result<GpuArray<u32>> {
    let tiles = gpu.shape().tiles;
    let cubes = numbers.len().div_ceil(gpu.shape().tile());
    if cubes == 0 {
        return gpu.number(0);
    }
    let units = cubes * gpu.shape().units as usize;
    let starts = if cubes == 1 {
        None
    } else {
        let sums = gpu.empty::<u32>(cubes)?;
        gpu.launch(&ScanReduce { tiles, numbers: numbers.all(), sums: sums.all() }, units)?;
        Some(scan(gpu, &sums)?)
    };
    let out = gpu.empty::<u32>(numbers.len() + 1)?;
    let starts = gpu.optional(starts.as_ref());
    gpu.launch(&ScanApply { tiles, numbers: numbers.all(), starts, out: out.all() }, units)?;
    Ok(out)
}
