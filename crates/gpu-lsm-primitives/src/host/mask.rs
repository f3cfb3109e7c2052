//! mask: the values and the marks of a batch, from flags. Twin of gpu/mask.rs.

use super::marks::in_tiles;
use super::{Host, HostArray};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use crate::value::Value;
use rayon::prelude::*;

/// One pass over the values, and one over the flags.
pub(super) fn mask<V: Value>(
    host: &Host,
    values: &HostArray<V>,
    flags: &HostArray<u32>,
) -> Result<(HostArray<V>, HostArray<u32>)> {
    let marks = in_tiles(host, flags.len(), |first, len, set| {
        for (i, &flag) in flags[first..first + len].iter().enumerate() {
            set(i, u32::from(flag != 0));
        }
    })?;
    if V::WORDS == 0 {
        return Ok((values.clone(), marks));
    }
    let mut out = host.zeroed::<V>(values.len())?;
    out.slice_mut()
        .par_iter_mut()
        .zip(&**values)
        .zip(&**flags)
        .with_min_len(HOST_TILE)
        .filter(|(_, flag)| **flag == 0)
        .for_each(|((out, value), _)| *out = *value);
    Ok((out.share(), marks))
}
