//! scan: for each element the sum of all before it, and the sum of all at the end; sums saturate. Twin of gpu/scan.rs.

use super::{Host, HostArray};
use crate::error::Result;
use crate::tuning::HOST_TILE;
use rayon::prelude::*;

/// Sums up each tile, scans those sums, and then scans each tile from its sum on.
pub(super) fn scan(host: &Host, numbers: &HostArray<u32>) -> Result<HostArray<u32>> {
    let len = numbers.len();
    let mut sums = host.zeroed::<u32>(len + 1)?;
    let mut starts = host.zeroed::<u32>(len.div_ceil(HOST_TILE))?;
    let starts = starts.slice_mut();
    starts
        .par_iter_mut()
        .zip(numbers.par_chunks(HOST_TILE))
        .for_each(|(start, tile)| *start = tile.iter().fold(0, |sum, number| sum.saturating_add(*number)));
    let total = accumulate(starts, 0);
    let (before, last) = sums.slice_mut().split_at_mut(len);
    last[0] = total;
    before.par_chunks_mut(HOST_TILE).zip(numbers.par_chunks(HOST_TILE)).zip(&*starts).for_each(
        |((sums, tile), &start)| {
            sums.copy_from_slice(tile);
            accumulate(sums, start);
        },
    );
    Ok(sums.share())
}

/// Replaces each number by the sum of `start` and all numbers before it. Returns the sum of all.
fn accumulate(numbers: &mut [u32], start: u32) -> u32 {
    let mut sum = start;
    for number in numbers {
        (*number, sum) = (sum, sum.saturating_add(*number));
    }
    sum
}
