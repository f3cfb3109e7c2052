//! encode: the paper's key variables for a batch, and its values in their order. Twin of gpu/baselines/encode.rs.

use crate::error::Result;
use crate::host::marks::bit;
use crate::host::{Host, HostArray};
use crate::tuning::HOST_TILE;
use rayon::prelude::*;

/// Keys with their status in the lowest bit, from the last to the first.
pub(super) fn keys(
    host: &Host,
    keys: &HostArray<u32>,
    marks: Option<&HostArray<u32>>,
    len: usize,
) -> Result<HostArray<u32>> {
    let mut out = host.zeroed::<u32>(len)?;
    out.slice_mut().par_iter_mut().with_min_len(HOST_TILE).enumerate().for_each(|(i, out)| {
        let source = source_of(i, keys.len());
        *out = keys[source] << 1 | (1 - marks.map_or(0, |marks| bit(marks, source)));
    });
    Ok(out.share())
}

/// The values at positions of the encoded batch.
pub(super) fn values(
    host: &Host,
    values: &HostArray<u32>,
    positions: &HostArray<u32>,
    keys: usize,
) -> Result<HostArray<u32>> {
    let mut out = host.zeroed::<u32>(positions.len())?;
    out.slice_mut().par_iter_mut().zip(&**positions).with_min_len(HOST_TILE).for_each(|(out, &position)| {
        *out = values.get(source_of(position as usize, keys)).copied().unwrap_or(0);
    });
    Ok(out.share())
}

/// Which of `keys` keys is at a position of the encoded batch.
fn source_of(position: usize, keys: usize) -> usize {
    keys - 1 - position.min(keys - 1)
}
