//! unite: merges the lists of each query into one. Kernel: kernels/baselines/unite.rs. Twin: host/baselines/unite.rs.

use super::registry::{self, Unite};
use crate::backend::Array;
use crate::baselines::{KeyVariables, Lists};
use crate::error::Result;
use crate::gpu::array::GpuArray;
use crate::gpu::device::Gpu;
use crate::tuning::MERGE_ITEMS;

/// Each launch merges pairs of lists, until each query has one.
pub(super) fn unite(
    gpu: &Gpu,
    columns: KeyVariables<Gpu>,
    lists: &Lists<Gpu>,
    offsets: &GpuArray<u32>,
) -> Result<KeyVariables<Gpu>> {
    let KeyVariables { mut keys, mut values } = columns;
    let len = keys.len();
    let mut width = 1;
    while width < lists.per_query {
        let out_keys = gpu.empty::<u32>(len)?;
        let out_values = match values {
            Some(_) => Some(gpu.empty::<u32>(len)?),
            None => None,
        };
        let launch = Unite {
            columns: if values.is_some() {
                registry::UniteColumns::Pairs
            } else {
                registry::UniteColumns::Keys
            },
            tiles: gpu.shape().tiles,
            keys: keys.all(),
            values: gpu.optional(values.as_ref()),
            list_of: lists.list_of.all(),
            offsets: offsets.all(),
            out_keys: out_keys.all(),
            out_values: gpu.optional(out_values.as_ref()),
            lists: lists.per_query,
            width,
        };
        gpu.launch(&launch, gpu.shape().tiles.units(len, MERGE_ITEMS))?;
        (keys, values, width) = (out_keys, out_values, 2 * width);
    }
    Ok(KeyVariables { keys, values })
}
