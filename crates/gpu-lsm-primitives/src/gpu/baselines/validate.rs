//! validate: finds the valid candidates, and copies them. Kernels: kernels/baselines/validate.rs. Twin:
//! host/baselines/validate.rs.

use super::place;
use super::registry::{Compact, Validate};
use crate::backend::Array;
use crate::baselines::{Lists, Pairs, Valid};
use crate::error::Result;
use crate::gpu::array::{GpuArray, GpuCount};
use crate::gpu::axes::Tiles;
use crate::gpu::device::Gpu;
use crate::gpu::scan;
use crate::tuning::ITEMS;

/// Counts the valid candidates per query, and per unit or, in staged tiles, per cube.
pub(super) fn validate(gpu: &Gpu, keys: &GpuArray<u32>, lists: Option<&Lists<Gpu>>) -> Result<Valid<Gpu>> {
    let tiles = gpu.shape().tiles;
    let units = tiles.units(keys.len(), ITEMS);
    let queries = lists.map_or(0, |lists| lists.queries);
    let counts = gpu.empty::<u32>(queries)?;
    place::place(gpu, None, &counts, 0, queries, 0)?;
    let kept = gpu.empty::<u32>(match tiles {
        Tiles::Direct => units,
        Tiles::Staged => keys.len().div_ceil(gpu.shape().tile()),
    })?;
    let launch = Validate {
        tiles,
        keys: keys.all(),
        list_of: gpu.optional(lists.map(|lists| &lists.list_of)),
        kept: kept.all(),
        counts: counts.all(),
        lists: per_query(lists),
    };
    gpu.launch(&launch, units)?;
    Ok(Valid { counts, kept })
}

/// Scans the counts of the units or cubes, and writes the valid candidates.
pub(super) fn compact(
    gpu: &Gpu,
    pairs: &Pairs<Gpu>,
    lists: Option<&Lists<Gpu>>,
    valid: &Valid<Gpu>,
    is_plain: bool,
) -> Result<(Pairs<Gpu>, GpuCount)> {
    let offsets = scan::scan(gpu, &valid.kept)?;
    let len = pairs.keys.len();
    let out = Pairs::room(gpu, len)?;
    let tiles = gpu.shape().tiles;
    let launch = Compact {
        tiles,
        keys: pairs.keys.all(),
        values: pairs.values.all(),
        list_of: gpu.optional(lists.map(|lists| &lists.list_of)),
        offsets: offsets.all(),
        out_keys: out.keys.all(),
        out_values: out.values.all(),
        lists: per_query(lists),
        shift: u32::from(is_plain),
    };
    gpu.launch(&launch, tiles.units(len, ITEMS))?;
    Ok((out, GpuCount { index: valid.kept.len(), array: offsets }))
}

fn per_query(lists: Option<&Lists<Gpu>>) -> u32 {
    lists.map_or(1, |lists| lists.per_query)
}
