//! cover: intervals of the Z-curve that cover rectangles of points. Kernel: kernels/cover.rs. Twin: host/cover.rs.

use super::array::GpuArray;
use super::device::Gpu;
use super::registry::Cover;
use crate::backend::Array;
use crate::code::KeyWidth;
use crate::error::Result;
use crate::tuning::COVER_INTERVALS;

/// One launch.
pub(super) fn cover(
    gpu: &Gpu,
    lower: &GpuArray<u64>,
    upper: &GpuArray<u64>,
) -> Result<(GpuArray<u64>, GpuArray<u64>)> {
    let intervals = lower.len() * COVER_INTERVALS;
    let (starts, ends) = (gpu.empty::<u64>(intervals)?, gpu.empty::<u64>(intervals)?);
    let launch = Cover {
        key: KeyWidth::U64,
        lower: lower.all(),
        upper: upper.all(),
        starts: starts.all(),
        ends: ends.all(),
    };
    gpu.launch(&launch, intervals)?;
    Ok((starts, ends))
}
