//! select: keeps the last of equal keys, unless it is marked to be dropped; in one list, or in one list per query.
//!
//! Input    keys: ascending within each list, with their values as words; dropped: one bit per key, set if it is to be
//!          dropped, or none; offsets: where each query's keys start, and where the last one's end; absent if all keys
//!          are one list
//! Output   out_keys: strictly ascending within each list, and out_values; or marks alone. At most as many as there is
//!          room for
//! Launch   one unit per ITEMS keys; for the new offsets, one unit per query and one more
//! Steps    1. count what each unit keeps   2. scan the counts   3. write
//! Cost     reads the keys twice and the values once, writes what stays once; for marks reads the keys once more
//! Twin     host/select.rs

use super::shared::marks::mark_at;
use super::shared::queries::{next_query, query_of};
use super::shared::values::copy_value;
use crate::tuning::ITEMS;
use cubecl::prelude::*;

/// Step 1. `marks`: one bit per key, set for tombstones, or none. `kept_marks`: the number of tombstones that are kept.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn select_count<K: Int>(
    keys: &[K],
    dropped: &[u32],
    marks: &[u32],
    offsets: &[u32],
    kept: &mut [u32],
    kept_marks: &mut [u32],
    #[comptime] lists: bool,
) {
    let start = ABSOLUTE_POS * ITEMS as usize;
    if start < keys.len() {
        let end = min(start + ITEMS as usize, keys.len());
        let stays = stays::<K>(keys, dropped, offsets, start, end, lists);
        kept[ABSOLUTE_POS] = stays.count_ones();
        if ABSOLUTE_POS < kept_marks.len() {
            kept_marks[ABSOLUTE_POS] = (stays & bits_of(marks, start, end)).count_ones();
        }
    }
}

/// Step 3. `starts`: for each unit the number of keys that all units before it keep. `room`: the length of the outputs.
/// With `marks`, `values` has one bit per key. Each that stays becomes a word, and no keys are written.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn select_write<K: Int>(
    keys: &[K],
    values: &[u32],
    dropped: &[u32],
    offsets: &[u32],
    starts: &[u32],
    out_keys: &mut [K],
    out_values: &mut [u32],
    room: u32,
    #[comptime] words: u32,
    #[comptime] lists: bool,
    #[comptime] marks: bool,
) {
    let start = ABSOLUTE_POS * ITEMS as usize;
    if start < keys.len() {
        let end = min(start + ITEMS as usize, keys.len());
        let stays = stays::<K>(keys, dropped, offsets, start, end, lists);
        let mut out = starts[ABSOLUTE_POS];
        for item in 0..ITEMS {
            if (stays >> item) & 1 == 1 && out < room {
                let i = start + item as usize;
                if marks {
                    out_values[out as usize] = mark_at(values, i as u32);
                } else {
                    out_keys[out as usize] = keys[i];
                    copy_value(values, i as u32, out_values, out, words);
                }
                out += 1;
            }
        }
    }
}

/// Where each query's keys start after the selection.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn select_offsets<K: Int>(
    keys: &[K],
    dropped: &[u32],
    offsets: &[u32],
    starts: &[u32],
    out_offsets: &mut [u32],
) {
    let q = ABSOLUTE_POS;
    if q < offsets.len() {
        let end = offsets[q] as usize;
        let unit = end / ITEMS as usize;
        let start = unit * ITEMS as usize;
        let mut before = starts[unit];
        if start < end {
            before += stays::<K>(keys, dropped, offsets, start, end, true).count_ones();
        }
        out_offsets[q] = before;
    }
}

/// One bit for each of a unit's keys, set if it is the last of its equal keys in its list and is not to be dropped.
/// Reads no element past the last one.
#[cube]
fn stays<K: Int>(
    keys: &[K],
    dropped: &[u32],
    offsets: &[u32],
    start: usize,
    end: usize,
    #[comptime] lists: bool,
) -> u32 {
    let mut list = 0u32;
    let mut list_end = keys.len();
    if lists {
        list = query_of(offsets, 1u32, start as u32);
        list_end = offsets[list as usize + 1] as usize;
    }
    let mut stays = 0u32;
    let mut key = keys[start];
    #[unroll(!lists)]
    for item in 0..ITEMS {
        let i = start + item as usize;
        if i < end {
            if lists && i == list_end && (list as usize) + 2 < offsets.len() {
                list = next_query(offsets, 1u32, list, i as u32);
                list_end = offsets[list as usize + 1] as usize;
            }
            let next = keys[min(i + 1, keys.len() - 1)];
            stays |= u32::cast_from(i + 1 == list_end || next != key) << item;
            key = next;
        }
    }
    stays & !bits_of(dropped, start, end)
}

/// The bits of a unit's keys; zero if there are no bits.
#[cube]
fn bits_of(bits: &[u32], start: usize, end: usize) -> u32 {
    let mut mine = 0u32;
    if start / 32 < bits.len() {
        mine = (bits[start / 32] >> (start % 32) as u32) & ((1u32 << (end - start) as u32) - 1);
    }
    mine
}
