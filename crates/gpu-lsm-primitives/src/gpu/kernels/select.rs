//! select: of equal keys, the one with the last position.
//!
//! Input    keys: ascending; positions: ascending among equal keys
//! Output   out_keys: strictly ascending; sources: the position that each had
//! Launch   one unit per ITEMS keys
//! Steps    1. count what each unit keeps   2. scan the counts   3. write
//! Cost     reads the keys twice and the positions once, writes the result once
//! Twin     host/select.rs

use crate::tuning::ITEMS;
use cubecl::prelude::*;

/// Step 1.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn select_count<K: Int>(keys: &[K], kept: &mut [u32]) {
    let start = ABSOLUTE_POS * ITEMS as usize;
    let mut mine = 0u32;
    for item in 0..ITEMS {
        let i = start + item as usize;
        if i < keys.len() && is_last::<K>(keys, i) {
            mine += 1;
        }
    }
    if ABSOLUTE_POS < kept.len() {
        kept[ABSOLUTE_POS] = mine;
    }
}

/// Step 3.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn select_write<K: Int>(
    keys: &[K],
    positions: &[u32],
    offsets: &[u32],
    out_keys: &mut [K],
    sources: &mut [u32],
) {
    let start = ABSOLUTE_POS * ITEMS as usize;
    if start < keys.len() {
        let mut out = offsets[ABSOLUTE_POS];
        for item in 0..ITEMS {
            let i = start + item as usize;
            if i < keys.len() && is_last::<K>(keys, i) {
                out_keys[out as usize] = keys[i];
                sources[out as usize] = positions[i];
                out += 1;
            }
        }
    }
}

/// Whether no equal key follows. Reads no element past the last.
#[cube]
fn is_last<K: Int>(keys: &[K], i: usize) -> bool {
    let next = min(i + 1, keys.len() - 1);
    next == i || keys[next] != keys[i]
}
