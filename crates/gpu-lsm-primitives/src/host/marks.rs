//! marks: one bit per entry, set for a tombstone. Twin of gpu/marks.rs.

use super::{Host, HostArray};
use crate::entries::mark_words;
use crate::error::Result;
use crate::tuning::HOST_TILE;
use rayon::prelude::*;

// No word of bits belongs to two tiles.
const _: () = assert!(HOST_TILE.is_multiple_of(32));

/// The bits at `sources`.
pub(super) fn gather(host: &Host, bits: &[u32], sources: &[u32]) -> Result<HostArray<u32>> {
    in_tiles(host, sources.len(), |first, len, set| {
        for (i, &source) in sources[first..first + len].iter().enumerate() {
            set(i, bit(bits, source as usize));
        }
    })
}

/// One bit for each of `len` entries. Calls `write` with the first entry of each tile, the number of its entries, and a
/// function that sets the bit of one of them.
pub(super) fn in_tiles(
    host: &Host,
    len: usize,
    write: impl Fn(usize, usize, &mut dyn FnMut(usize, u32)) + Sync,
) -> Result<HostArray<u32>> {
    let mut bits = host.zeroed::<u32>(mark_words(len))?;
    bits.slice_mut().par_chunks_mut(HOST_TILE / 32).enumerate().for_each(|(tile, bits)| {
        let first = tile * HOST_TILE;
        write(first, HOST_TILE.min(len - first), &mut |i, mark| bits[i / 32] |= mark << (i % 32));
    });
    Ok(bits.share())
}

/// The bit of entry `i`.
pub(super) fn bit(bits: &[u32], i: usize) -> u32 {
    (bits[i / 32] >> (i % 32)) & 1
}
