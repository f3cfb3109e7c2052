//! number: the list that each candidate belongs to. Twin of gpu/baselines/number.rs.

use crate::error::Result;
use crate::host::{Host, HostArray};
use crate::tuning::HOST_TILE;
use rayon::prelude::*;

/// The list of each of `total` candidates.
pub(super) fn number(host: &Host, offsets: &HostArray<u32>, total: usize) -> Result<HostArray<u32>> {
    let mut list_of = host.zeroed::<u32>(total)?;
    list_of.slice_mut().par_chunks_mut(HOST_TILE).enumerate().for_each(|(tile, lists)| {
        let first = tile * HOST_TILE;
        let mut list = offsets.partition_point(|&offset| offset as usize <= first).saturating_sub(1);
        for (i, number) in lists.iter_mut().enumerate() {
            while offsets[list + 1] as usize <= first + i {
                list += 1;
            }
            *number = list as u32;
        }
    });
    Ok(list_of.share())
}
