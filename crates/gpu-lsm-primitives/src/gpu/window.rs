//! window: the few entries of a run that are nearest to each query. Kernel: kernels/window.rs. Twin: host/window.rs.

use super::array::GpuArray;
use super::axes::Heading;
use super::bounds;
use super::device::Gpu;
use super::registry::Window;
use crate::backend::{Array, Way};
use crate::code::Code;
use crate::entries::{Bounds, Run};
use crate::error::Result;
use crate::value::Value;

/// One binary search per query, and a scan of the windows' lengths. Updates the horizons in place.
pub(super) fn window<K: Code, V: Value>(
    gpu: &Gpu,
    run: &Run<Gpu, K, V>,
    queries: &GpuArray<K>,
    way: Way,
    limit: u32,
    horizons: Option<GpuArray<K>>,
    states: Option<&GpuArray<u32>>,
) -> Result<(Bounds<Gpu>, GpuArray<K>)> {
    let is_first = horizons.is_none();
    let horizons = match horizons {
        Some(horizons) => horizons,
        None => gpu.empty::<K>(queries.len())?,
    };
    let starts = gpu.empty::<u32>(queries.len())?;
    let lens = gpu.empty::<u32>(queries.len())?;
    let launch = Window {
        key: K::WIDTH,
        heading: Heading::of(way),
        tiles: gpu.shape().tiles,
        keys: run.keys.first(run.len),
        index: run.index.all(),
        queries: queries.all(),
        states: gpu.optional(states),
        starts: starts.all(),
        lens: lens.all(),
        horizons: horizons.all(),
        limit,
        first: u32::from(is_first),
        after: u32::from(way != Way::Up),
    };
    gpu.launch(&launch, queries.len())?;
    Ok((bounds::from_lens(gpu, starts, lens)?, horizons))
}
