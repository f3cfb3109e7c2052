//! expand: the entries in each query's interval, one query after the other. Twin of gpu/expand.rs.

use super::Host;
use super::gather::{self, Sources};
use crate::backend::check_entries;
use crate::entries::{Bounds, Candidates, Pending, Run};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;

/// Copies the keys and notes query and source of each; values and marks are gathered by source.
pub(super) fn expand<K: Key, V: Value>(
    host: &Host,
    run: &Run<Host, K, V>,
    bounds: &Bounds<Host>,
) -> Result<Candidates<Host, K, V>> {
    let total = bounds.total;
    check_entries::<_, K, V>(host, total as u64)?;
    let mut keys = host.zeroed::<K>(total)?;
    let mut queries = host.zeroed::<u32>(total)?;
    let mut sources = host.zeroed::<u32>(total)?;
    let offsets = &*bounds.offsets;
    keys.slice_mut()
        .par_chunks_mut(HOST_TILE)
        .zip(queries.slice_mut().par_chunks_mut(HOST_TILE))
        .zip(sources.slice_mut().par_chunks_mut(HOST_TILE))
        .enumerate()
        .for_each(|(tile, ((keys, queries), sources))| {
            let first = tile * HOST_TILE;
            let mut query = offsets.partition_point(|&offset| offset as usize <= first) - 1;
            for i in 0..keys.len() {
                let out = (first + i) as u32;
                while offsets[query + 1] <= out {
                    query += 1;
                }
                let source = bounds.starts[query] + (out - offsets[query]);
                (keys[i], queries[i], sources[i]) = (run.keys[source as usize], query as u32, source);
            }
        });
    let sources = Sources { list: sources.slice_mut(), split: u32::MAX as usize };
    let values = gather::values(host, &run.values, &[], &sources)?;
    let marks = gather::marks(host, run.marks.as_deref(), None, &sources)?;
    let entries = Pending { keys: keys.share(), values, marks, bound: total, count: total };
    Ok(Candidates { queries: queries.share(), entries })
}
