//! clip: the first few entries of each query. Twin of gpu/clip.rs.

use super::{Host, HostArray, bounds};
use crate::entries::Bounds;
use crate::error::Result;

/// The first `limit` entries of each query, as bounds in the list that the offsets describe.
pub(super) fn clip(host: &Host, offsets: &HostArray<u32>, limit: u32) -> Result<Bounds<Host>> {
    let mut lens = host.zeroed::<u32>(offsets.len() - 1)?;
    for (len, pair) in lens.slice_mut().iter_mut().zip(offsets.windows(2)) {
        *len = limit.min(pair[1] - pair[0]);
    }
    bounds::from_lens(host, offsets.clone(), lens.share())
}
