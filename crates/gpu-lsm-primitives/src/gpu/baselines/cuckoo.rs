//! cuckoo: a hash table in which each key is in one of four slots. Kernels: kernels/baselines/cuckoo.rs. Twin:
//! host/baselines/cuckoo.rs.

use super::place;
use super::registry::{CuckooInsert, CuckooLookup};
use crate::backend::{Array, Backend};
use crate::baselines::{EMPTY_SLOT, Pairs};
use crate::entries::Answers;
use crate::error::Result;
use crate::gpu::array::{GpuArray, GpuCount};
use crate::gpu::device::Gpu;
use crate::gpu::gather::{self, Sources};

/// Gives every entry a slot by exchanging entry numbers, and then brings keys and values there.
pub(super) fn build(
    gpu: &Gpu,
    keys: &GpuArray<u32>,
    values: &GpuArray<u32>,
    slots: usize,
    seed: u32,
) -> Result<Option<Pairs<Gpu>>> {
    let list = gpu.empty::<u32>(slots)?;
    place::place(gpu, None, &list, 0, slots, keys.len() as u32)?;
    let failed = GpuCount { array: gpu.number(0)?, index: 0 };
    let launch = CuckooInsert { keys: keys.all(), slots: list.all(), failed: failed.array.all(), seed };
    gpu.launch(&launch, keys.len())?;
    if gpu.read_back(&[&failed])?[0] > 0 {
        return Ok(None);
    }
    let sources = Sources { list, split: keys.len() };
    // An empty slot has the number of keys as its source, which gathers this element.
    let empty = gpu.number(EMPTY_SLOT)?;
    let keys = gather::values(gpu, keys, Some((&empty, 1)), &sources)?;
    let values = gather::values(gpu, values, None, &sources)?;
    Ok(Some(Pairs { keys, values }))
}

/// Looks up keys.
pub(super) fn lookup(
    gpu: &Gpu,
    table: &Pairs<Gpu>,
    queries: &GpuArray<u32>,
    seed: u32,
) -> Result<Answers<Gpu, u32>> {
    let answers = gpu.answers(queries.len())?;
    let launch = CuckooLookup {
        keys: table.keys.all(),
        values: table.values.all(),
        queries: queries.all(),
        found: answers.found.all(),
        out: answers.values.all(),
        seed,
    };
    gpu.launch(&launch, queries.len())?;
    Ok(answers)
}
