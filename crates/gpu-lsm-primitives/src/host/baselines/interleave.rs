//! interleave: one sorted array from two; all entries stay. Twin of gpu/baselines/interleave.rs.

use crate::backend::check_positions;
use crate::baselines::{Pairs, Part};
use crate::error::Result;
use crate::host::Host;
use crate::tuning::HOST_TILE;
use rayon::prelude::*;

/// Merges tile by tile.
pub(super) fn interleave(host: &Host, newer: &Part<'_, Host>, older: &Part<'_, Host>) -> Result<Pairs<Host>> {
    let len = newer.len + older.len;
    check_positions(host, len as u64)?;
    let mut keys = host.zeroed::<u32>(len)?;
    let mut values = host.zeroed::<u32>(len)?;
    let (new, old) = (&newer.pairs.keys[newer.range()], &older.pairs.keys[older.range()]);
    let (new_values, old_values) = (&newer.pairs.values[newer.range()], &older.pairs.values[older.range()]);
    let tiles = keys.slice_mut().par_chunks_mut(HOST_TILE).zip(values.slice_mut().par_chunks_mut(HOST_TILE));
    tiles.enumerate().for_each(|(tile, (keys, values))| {
        let start = tile * HOST_TILE;
        let mut i = newer_before(new, old, start);
        let mut j = start - i;
        for (key, value) in keys.iter_mut().zip(values) {
            if takes_newer(new, old, i, j) {
                (*key, *value) = (new[i], new_values[i]);
                i += 1;
            } else {
                (*key, *value) = (old[j], old_values[j]);
                j += 1;
            }
        }
    });
    Ok(Pairs { keys: keys.share(), values: values.share() })
}

/// How many of the first `step` entries of the merged order come from the newer list.
pub(super) fn newer_before(newer: &[u32], older: &[u32], step: usize) -> usize {
    let mut low = step.saturating_sub(older.len());
    let mut high = step.min(newer.len());
    while low < high {
        let middle = (low + high) / 2;
        if newer[middle] >> 1 <= older[step - 1 - middle] >> 1 {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Whether the next entry of the merged order comes from the newer list.
pub(super) fn takes_newer(newer: &[u32], older: &[u32], i: usize, j: usize) -> bool {
    i < newer.len() && (j == older.len() || newer[i] >> 1 <= older[j] >> 1)
}
