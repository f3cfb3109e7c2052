//! place: copies a part of one array over a part of another. Twin of gpu/baselines/place.rs.

use crate::error::Result;
use crate::host::search::unshared;
use crate::host::{Host, HostArray};
use crate::tuning::HOST_TILE;
use rayon::prelude::*;
use std::ops::Range;

/// Fills `len` elements of `to` with the elements of `from`, padded.
pub(super) fn place(
    host: &Host,
    from: Option<(&HostArray<u32>, Range<usize>)>,
    to: &mut HostArray<u32>,
    at: usize,
    len: usize,
    filler: u32,
) -> Result<()> {
    let from = from.map_or(&[][..], |(array, range)| &array[range]);
    let (copied, filled) = unshared(host, to)?[at..at + len].split_at_mut(len.min(from.len()));
    copied
        .par_chunks_mut(HOST_TILE)
        .zip(from.par_chunks(HOST_TILE))
        .for_each(|(to, from)| to.copy_from_slice(&from[..to.len()]));
    filled.par_chunks_mut(HOST_TILE).for_each(|tile| tile.fill(filler));
    Ok(())
}
