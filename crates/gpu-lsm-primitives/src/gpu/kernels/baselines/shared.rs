//! Functions that several kernels of the baselines use: the order of key variables, which have their status in the
//! lowest bit.

use crate::gpu::kernels::shared::merging::{Heads, older_before_by};
use cubecl::prelude::*;

/// The number of key variables of a level that are smaller than `key`, and the next one. If there is none, that number has
/// no meaning.
#[cube]
pub(super) fn smaller(keys: &[u32], start: u32, len: u32, key: u32) -> (u32, u32) {
    let mut low = 0u32;
    let mut high = len;
    let mut next = key;
    while low < high {
        let middle = low + (high - low) / 2;
        let read = keys[(start + middle) as usize];
        if read < key {
            low = middle + 1;
        } else {
            high = middle;
            next = read;
        }
    }
    (low, next)
}

/// The number of bits of a key variable that are its status.
pub(super) const STATUS_BITS: u32 = 1;

/// How many of the first `step` entries of the merged order come from the newer list. If keys are equal, the newer comes
/// first: here it takes the part that the older list has in other merges.
#[cube]
pub(super) fn newer_before(
    newer: &[u32],
    older: &[u32],
    newer_at: u32,
    newer_end: u32,
    older_at: u32,
    older_end: u32,
    step: u32,
) -> u32 {
    let (newer_len, older_len) = (newer_end - newer_at, older_end - older_at);
    older_before_by::<u32>(older, newer, older_at, older_len, newer_at, newer_len, step, STATUS_BITS)
}

/// Whether the next entry of the merged order comes from the older list. If both keys are equal, the newer comes first.
#[cube]
pub(super) fn is_older_next(heads: &Heads<u32>, newer_end: u32, older_end: u32) -> bool {
    heads.j < older_end && (heads.i == newer_end || heads.older >> 1 < heads.newer >> 1)
}

/// The query of a position, given the list of each, of which every query has as many.
#[cube]
pub(super) fn query_at(list_of: &[u32], lists: u32, i: usize) -> u32 {
    let mut query = 0u32;
    if i < list_of.len() {
        query = list_of[i] / lists;
    }
    query
}
