//! Splits an array into pieces for parallel tasks, by how much each task will write.

use super::array::{Host, Owned};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use rayon::prelude::*;
use std::ops::Range;

/// How many items each tile of a two-pass primitive keeps, counted before anything is written.
pub(super) struct Tiles {
    items: usize,
    kept: Owned<u32>,
}

impl Tiles {
    /// Counts in parallel how many of `items` items each tile keeps.
    pub(super) fn count(
        host: &Host,
        items: usize,
        count: impl Fn(Range<usize>) -> u32 + Sync,
    ) -> Result<Self> {
        let mut kept = host.zeroed(items.div_ceil(HOST_TILE))?;
        kept.slice_mut()
            .par_iter_mut()
            .enumerate()
            .for_each(|(tile, kept)| *kept = count(range(tile, items)));
        Ok(Self { items, kept })
    }

    /// The number of items that all tiles keep.
    pub(super) fn total(&mut self) -> usize {
        self.kept.slice_mut().iter().map(|&kept| kept as usize).sum()
    }

    /// Calls `write` in parallel with each tile's items and its pieces of the two outputs.
    pub(super) fn write<A: Send, B: Send>(
        mut self,
        host: &Host,
        first: &mut [A],
        second: &mut [B],
        write: impl Fn(Range<usize>, &mut [A], &mut [B]) + Sync,
    ) -> Result<()> {
        let (items, kept) = (self.items, self.kept.slice_mut());
        let firsts = split(host, first, kept)?;
        let seconds = split(host, second, kept)?;
        firsts
            .into_par_iter()
            .zip(seconds)
            .enumerate()
            .for_each(|(tile, (first, second))| write(range(tile, items), first, second));
        Ok(())
    }
}

/// The items of a tile; the last tile may be partial.
fn range(tile: usize, items: usize) -> Range<usize> {
    tile * HOST_TILE..items.min((tile + 1) * HOST_TILE)
}

/// Splits `slice` into adjacent pieces of the given lengths.
pub(super) fn split<'a, T>(host: &Host, mut slice: &'a mut [T], lens: &[u32]) -> Result<Vec<&'a mut [T]>> {
    let mut pieces = host.account().vector(lens.len())?;
    for &len in lens {
        let (piece, rest) = slice.split_at_mut(len as usize);
        pieces.push(piece);
        slice = rest;
    }
    Ok(pieces)
}
