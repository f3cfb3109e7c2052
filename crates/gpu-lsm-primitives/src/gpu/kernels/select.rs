//! select: of equal keys the last, where it is not to be dropped; of one list, or of one for each query.
//!
//! Input    keys: ascending within each list; dropped: a word per key, 1 where it is to go, or none; offsets: where each
//!          query's keys start, and the end; none where all are one list
//! Output   out_keys: strictly ascending within each list; sources: where each stood
//! Launch   one unit per ITEMS keys; for the lists' new offsets one unit per query, and one more
//! Steps    1. count what each unit keeps   2. scan the counts   3. write
//! Cost     reads the keys twice, writes keys and sources once
//! Twin     host/select.rs

use super::expand::{next_query, query_of};
use crate::tuning::ITEMS;
use cubecl::prelude::*;

/// Step 1. `marks`: a word per key, 1 for a tombstone, or none; `kept_marks`: how many of those that are kept have it.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn select_count<K: Int>(
    keys: &[K],
    dropped: &[u32],
    marks: &[u32],
    offsets: &[u32],
    kept: &mut [u32],
    kept_marks: &mut [u32],
) {
    let start = ABSOLUTE_POS * ITEMS as usize;
    if start < keys.len() {
        let end = min(start + ITEMS as usize, keys.len());
        let mut list = list_of(offsets, start);
        let mut list_end = end_of(offsets, keys.len(), list);
        let mut mine = 0u32;
        let mut mine_marked = 0u32;
        for i in start..end {
            if i == list_end {
                list = next_query(offsets, list, i as u32);
                list_end = end_of(offsets, keys.len(), list);
            }
            if stays::<K>(keys, dropped, i, list_end) {
                mine += 1;
                mine_marked += word_at(marks, i);
            }
        }
        kept[ABSOLUTE_POS] = mine;
        if ABSOLUTE_POS < kept_marks.len() {
            kept_marks[ABSOLUTE_POS] = mine_marked;
        }
    }
}

/// Step 3. `starts`: how many keys all units before each keep.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn select_write<K: Int>(
    keys: &[K],
    dropped: &[u32],
    offsets: &[u32],
    starts: &[u32],
    out_keys: &mut [K],
    sources: &mut [u32],
) {
    let start = ABSOLUTE_POS * ITEMS as usize;
    if start < keys.len() {
        let end = min(start + ITEMS as usize, keys.len());
        let mut list = list_of(offsets, start);
        let mut list_end = end_of(offsets, keys.len(), list);
        let mut out = starts[ABSOLUTE_POS] as usize;
        for i in start..end {
            if i == list_end {
                list = next_query(offsets, list, i as u32);
                list_end = end_of(offsets, keys.len(), list);
            }
            if stays::<K>(keys, dropped, i, list_end) {
                out_keys[out] = keys[i];
                sources[out] = i as u32;
                out += 1;
            }
        }
    }
}

/// Where each query's keys start after that.
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
        let mut before = starts[unit];
        let start = unit * ITEMS as usize;
        if start < end {
            let mut list = list_of(offsets, start);
            let mut list_end = end_of(offsets, keys.len(), list);
            for i in start..end {
                if i == list_end {
                    list = next_query(offsets, list, i as u32);
                    list_end = end_of(offsets, keys.len(), list);
                }
                if stays::<K>(keys, dropped, i, list_end) {
                    before += 1;
                }
            }
        }
        out_offsets[q] = before;
    }
}

/// Whether a key is the last of its kind in its list, and not to be dropped. Reads no element past the last.
#[cube]
fn stays<K: Int>(keys: &[K], dropped: &[u32], i: usize, list_end: usize) -> bool {
    let next = min(i + 1, keys.len() - 1);
    word_at(dropped, i) == 0 && (i + 1 == list_end || keys[next] != keys[i])
}

/// A key's word; zero where there are no words.
#[cube]
pub(super) fn word_at(words: &[u32], i: usize) -> u32 {
    let mut word = 0u32;
    if i < words.len() {
        word = words[i];
    }
    word
}

/// The list that key `i` is in.
#[cube]
fn list_of(offsets: &[u32], i: usize) -> u32 {
    let mut list = 0u32;
    if offsets.len() > 1 {
        list = query_of(offsets, i as u32);
    }
    list
}

/// Where a list ends; all are one where there are no offsets.
#[cube]
fn end_of(offsets: &[u32], len: usize, list: u32) -> usize {
    let mut end = len;
    if offsets.len() > 1 {
        end = offsets[list as usize + 1] as usize;
    }
    end
}
