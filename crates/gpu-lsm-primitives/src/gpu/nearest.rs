//! nearest: the first or the last of the live entries near each query. Kernel: kernels/nearest.rs. Twin:
//! host/nearest.rs.

use super::array::{GpuArray, GpuCount};
use super::axes::Heading;
use super::device::Gpu;
use super::gather::{self, Sources};
use super::registry::Nearest;
use crate::backend::{Array, Nearby, Way};
use crate::code::Code;
use crate::entries::Neighbours;
use crate::error::Result;
use crate::value::Value;

/// Answers the open queries as far as possible, records the position of each entry, and gathers the values there.
pub(super) fn nearest<K: Code, V: Value>(
    gpu: &Gpu,
    near: &Nearby<'_, Gpu, K, V>,
    way: Way,
    missing: K,
    before: Option<Neighbours<Gpu, K, V>>,
) -> Result<(Neighbours<Gpu, K, V>, GpuCount)> {
    let queries = near.horizons.len();
    let is_first = before.is_none();
    let neighbours = match before {
        Some(before) => before,
        None => {
            Neighbours { found: gpu.empty(queries)?, keys: gpu.empty(queries)?, values: gpu.empty(queries)? }
        }
    };
    let open = gpu.number(0)?;
    let list = gpu.empty::<u32>(queries)?;
    let missing = missing.to_u64();
    let launch = Nearest {
        key: K::WIDTH,
        heading: Heading::of(way),
        offsets: near.offsets.all(),
        keys: near.entries.keys.all(),
        horizons: near.horizons.all(),
        states: neighbours.found.all(),
        out_keys: neighbours.keys.all(),
        sources: list.all(),
        open: open.all(),
        first: u32::from(is_first),
        missing_low: missing as u32,
        missing_high: (missing >> 32) as u32,
    };
    gpu.launch(&launch, queries)?;
    let values = gather_values(gpu, near, list, neighbours.values, is_first)?;
    let open = GpuCount { array: open, index: 0 };
    Ok((Neighbours { values, ..neighbours }, open))
}

/// The values of the entries that were found. In the first round, all other values become zero.
fn gather_values<K: Code, V: Value>(
    gpu: &Gpu,
    near: &Nearby<'_, Gpu, K, V>,
    list: GpuArray<u32>,
    values: GpuArray<V>,
    is_first: bool,
) -> Result<GpuArray<V>> {
    let sources = Sources { list, split: u32::MAX as usize };
    if is_first {
        return gather::values(gpu, &near.entries.values, None, &sources);
    }
    gather::values_into(gpu, &near.entries.values, &sources, &values)?;
    Ok(values)
}
