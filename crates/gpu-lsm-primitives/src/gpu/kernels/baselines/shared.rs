//! Functions that several kernels of the baselines use: the order of key variables, which have their status in the
//! lowest bit.

use crate::gpu::kernels::shared::merging::Heads;
use cubecl::prelude::*;

/// The number of key variables of a level that are smaller than `key`.
#[cube]
pub(super) fn smaller(keys: &[u32], start: u32, len: u32, key: u32) -> u32 {
    let mut low = 0u32;
    let mut high = len;
    while low < high {
        let middle = low + (high - low) / 2;
        if keys[(start + middle) as usize] < key {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// How many of the first `step` entries of the merged order come from the newer list.
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
    let older_len = older_end - older_at;
    let mut low = 0u32;
    if step > older_len {
        low = step - older_len;
    }
    let mut high = min(step, newer_end - newer_at);
    while low < high {
        let middle = low + (high - low) / 2;
        let newer_key = newer[(newer_at + middle) as usize] >> 1;
        if newer_key <= older[(older_at + step - 1 - middle) as usize] >> 1 {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Whether the next entry of the merged order comes from the older list. If both keys are equal, the newer comes first.
#[cube]
pub(super) fn is_older_next(heads: &Heads<u32>, newer_end: u32, older_end: u32) -> bool {
    heads.j < older_end && (heads.i == newer_end || heads.older >> 1 < heads.newer >> 1)
}
