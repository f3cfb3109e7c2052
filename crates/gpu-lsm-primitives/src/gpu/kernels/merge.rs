//! merge: one sorted list from a newer and an older one; all entries stay.
//!
//! Input    newer, older: keys ascending, none empty, with their values as words, and marks, a bit per entry, or none
//! Output   out, out_values: both in ascending order; of equal keys the older ones first; with marks, theirs; without, hidden:
//!          how many keys are equal to the one before them, added to what is there; or nothing, where that is not asked for
//! Launch   one unit per ITEMS entries of the output; with marks, one per 32, which is a word of them
//! Steps    find where the unit starts in both inputs (merge path), then step through them
//! Cost     reads and writes every key and value once
//! Twin     host/merge.rs      Source  Green, McColl, Bader 2012; paper, section 4.1

use super::index::{is_at, lower_bound_within};
use crate::tuning::ITEMS;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn merge<K: Int>(
    newer: &[K],
    newer_values: &[u32],
    older: &[K],
    older_values: &[u32],
    out: &mut [K],
    out_values: &mut [u32],
    hidden: &mut [Atomic<u32>],
    #[comptime] words: u32,
) {
    let newer_len = newer.len() as u32;
    let older_len = older.len() as u32;
    let start = min(ABSOLUTE_POS as u32 * ITEMS, newer_len + older_len);
    let end = start + min(ITEMS, newer_len + older_len - start);
    if start < end {
        let mut j = older_before::<K>(newer, older, 0, newer_len, 0, older_len, start);
        let mut i = start - j;
        let mut before = key_before::<K>(newer, older, i, j);
        let mut equal = 0u32;
        for at in start..end {
            let next = next::<K>(newer, older, i, j);
            out[at as usize] = next.key;
            copy_one(next.is_older, older_values, newer_values, next.source, out_values, at, words);
            equal += u32::cast_from(next.key == before);
            before = next.key;
            j += u32::cast_from(next.is_older);
            i = at + 1 - j;
        }
        if equal > 0 && hidden.len() == 1 {
            hidden[0].fetch_add(equal);
        }
    }
}

/// The same with marks. There is no room for three buffers more, so `marks` has all: first the output's, then those of the
/// newer and of the older entries, where `newer_marks` and `older_marks` say; 0 where a side has none.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn merge_marked<K: Int>(
    newer: &[K],
    newer_values: &[u32],
    older: &[K],
    older_values: &[u32],
    out: &mut [K],
    out_values: &mut [u32],
    marks: &mut [u32],
    newer_marks: u32,
    older_marks: u32,
    #[comptime] words: u32,
) {
    let newer_len = newer.len() as u32;
    let older_len = older.len() as u32;
    let start = min(ABSOLUTE_POS as u32 * 32, newer_len + older_len);
    let end = start + min(32, newer_len + older_len - start);
    if start < end {
        let mut j = older_before::<K>(newer, older, 0, newer_len, 0, older_len, start);
        let mut i = start - j;
        let mut mine = 0u32;
        for at in start..end {
            let next = next::<K>(newer, older, i, j);
            out[at as usize] = next.key;
            copy_one(next.is_older, older_values, newer_values, next.source, out_values, at, words);
            let from = select(next.is_older, older_marks, newer_marks);
            if from > 0 {
                let word = marks[(from + next.source / 32) as usize];
                mine |= ((word >> (next.source % 32)) & 1) << (at - start);
            }
            j += u32::cast_from(next.is_older);
            i = at + 1 - j;
        }
        marks[ABSOLUTE_POS] = mine;
    }
}

/// An entry of the output, and where it comes from.
#[derive(CubeType)]
struct Next<K: Int> {
    key: K,
    source: u32,
    is_older: bool,
}

/// What follows `i` newer and `j` older entries.
#[cube]
fn next<K: Int>(newer: &[K], older: &[K], i: u32, j: u32) -> Next<K> {
    let (newer_len, older_len) = (newer.len() as u32, older.len() as u32);
    let new = newer[min(i, newer_len - 1) as usize];
    let old = older[min(j, older_len - 1) as usize];
    let is_older = j < older_len && (i == newer_len || old <= new);
    Next::<K> { key: select(is_older, old, new), source: select(is_older, j, i), is_older }
}

/// The largest of the first `i` newer and `j` older keys; where there are none, a key that is not the first.
#[cube]
fn key_before<K: Int>(newer: &[K], older: &[K], i: u32, j: u32) -> K {
    let mut before = !min(newer[0], older[0]);
    if i > 0 {
        before = newer[(i - 1) as usize];
    }
    if j > 0 && (i == 0 || older[(j - 1) as usize] > before) {
        before = older[(j - 1) as usize];
    }
    before
}

/// How many of the first `step` entries of two merged stretches are older ones.
#[cube]
pub(super) fn older_before<K: Int>(
    newer: &[K],
    older: &[K],
    newer_start: u32,
    newer_len: u32,
    older_start: u32,
    older_len: u32,
    step: u32,
) -> u32 {
    let mut low = 0u32;
    if step > newer_len {
        low = step - newer_len;
    }
    let mut high = min(step, older_len);
    while low < high {
        let middle = low + (high - low) / 2;
        if older[(older_start + middle) as usize] <= newer[(newer_start + step - 1 - middle) as usize] {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// One value of `words` words.
#[cube]
pub(super) fn copy_value(from: &[u32], i: u32, to: &mut [u32], at: u32, #[comptime] words: u32) {
    #[unroll]
    for word in 0..words {
        to[(at * words + word) as usize] = from[(i * words + word) as usize];
    }
}

/// Value `i`, of `words` words, of the first list or of the second: written once, whatever a unit's neighbours do.
#[cube]
pub(super) fn copy_one(
    takes_first: bool,
    first: &[u32],
    second: &[u32],
    i: u32,
    to: &mut [u32],
    at: u32,
    #[comptime] words: u32,
) {
    #[unroll]
    for word in 0..words {
        to[(at * words + word) as usize] = word_of(takes_first, first, second, i * words + word);
    }
}

/// Word `i` of the first list or of the second.
#[cube]
pub(crate) fn word_of(takes_first: bool, first: &[u32], second: &[u32], i: u32) -> u32 {
    if takes_first { first[i as usize] } else { second[i as usize] }
}

/// A word for each older key, 1 where the newer keys have it too.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn merge_shadowed<K: Int>(newer: &[K], older: &[K], shadowed: &mut [u32]) {
    let i = ABSOLUTE_POS;
    if i < older.len() {
        let key = older[i];
        let at = lower_bound_within::<K>(newer, key, 0, newer.len() as u32);
        let mut is_shadowed = 0u32;
        if is_at::<K>(newer, at, key) {
            is_shadowed = 1u32.runtime();
        }
        shadowed[i] = is_shadowed;
    }
}
