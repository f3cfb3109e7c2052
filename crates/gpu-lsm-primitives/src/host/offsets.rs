//! offsets: where the entries of each query start. Twin of gpu/offsets.rs.

use super::{Host, HostArray, bounds};
use crate::entries::{Bounds, Candidates};
use crate::error::Result;
use crate::key::Key;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;

/// A binary search for each query, and for the end.
pub(super) fn offsets<K: Key, V: Value>(
    host: &Host,
    candidates: &Candidates<Host, K, V>,
    queries: usize,
) -> Result<HostArray<u32>> {
    let of_entries = &candidates.queries[..candidates.entries.count];
    let mut out = host.zeroed::<u32>(queries + 1)?;
    out.slice_mut().par_iter_mut().with_min_len(HOST_TILE / 16).enumerate().for_each(|(query, offset)| {
        *offset = of_entries.partition_point(|&other| (other as usize) < query) as u32;
    });
    Ok(out.share())
}

/// The first `limit` entries of each query, as bounds in the list that the offsets belong to.
pub(super) fn clip(host: &Host, offsets: &HostArray<u32>, limit: u32) -> Result<Bounds<Host>> {
    let mut lens = host.zeroed::<u32>(offsets.len() - 1)?;
    for (len, pair) in lens.slice_mut().iter_mut().zip(offsets.windows(2)) {
        *len = limit.min(pair[1] - pair[0]);
    }
    bounds::from_lens(host, offsets.clone(), lens.share())
}
