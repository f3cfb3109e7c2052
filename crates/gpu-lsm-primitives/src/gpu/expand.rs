//! expand: the entries in each query's interval, one query after the other. Kernel: kernels/expand.rs. Twin:
//! host/expand.rs.

use super::gather::{self, Sources};
use super::launch::Gpu;
use super::registry::{Kernel, Launch};
use crate::backend::check_entries;
use crate::entries::{Bounds, Candidates, Pending, Run};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::ITEMS;
use crate::value::Value;

/// Copies the keys and notes query and source of each; values and marks are gathered by source.
pub(super) fn expand<K: Key, V: Value>(
    gpu: &Gpu,
    run: &Run<Gpu, K, V>,
    bounds: &Bounds<Gpu>,
    room: usize,
) -> Result<Candidates<Gpu, K, V>> {
    check_entries::<_, K, V>(gpu, room as u64)?;
    let keys = gpu.empty::<K>(room)?;
    let queries = gpu.empty::<u32>(room)?;
    let list = gpu.empty::<u32>(room)?;
    gpu.launch(&Launch {
        kernel: Kernel::Expand(K::WIDTH),
        buffers: vec![
            run.keys.first(run.len),
            bounds.starts.all(),
            bounds.offsets.all(),
            keys.all(),
            queries.all(),
            list.all(),
        ],
        numbers: vec![],
        units: room.div_ceil(ITEMS as usize),
    })?;
    let count = bounds.total.clone();
    let sources = Sources { list, count: count.clone(), split: u32::MAX as usize };
    let values = gather::values(gpu, &run.values, None, &sources)?;
    let marks = gather::marks(gpu, run.marks.as_ref(), None, &sources)?;
    Ok(Candidates { queries, entries: Pending { keys, values, marks, bound: room, count } })
}
