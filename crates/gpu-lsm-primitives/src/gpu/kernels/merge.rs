//! merge: one sorted list from a newer and an older one; all entries stay.
//!
//! Input    newer, older: keys ascending, none empty, with their values as words, and marks, a bit per entry, or none
//! Output   out, out_values: both in ascending order; of equal keys the older ones first; with marks, theirs; without, hidden:
//!          how many keys are equal to the one before them, added to what is there; or nothing, where that is not asked for
//! Launch   one unit per MERGE_ITEMS entries of the output, which is a word of marks
//! Steps    find where the unit starts in both inputs (merge path), then step through them
//! Cost     reads and writes every key and value once
//! Twin     host/merge.rs      Source  Green, McColl, Bader 2012; paper, section 4.1

use super::index::{is_at, lower_bound_within};
use crate::tuning::MERGE_ITEMS;
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
    let (newer_len, older_len) = (newer.len() as u32, older.len() as u32);
    let start = min(ABSOLUTE_POS as u32 * MERGE_ITEMS, newer_len + older_len);
    let end = start + min(MERGE_ITEMS, newer_len + older_len - start);
    if start < end {
        let mut heads = Heads::<K>::at_step(newer, older, start);
        let mut before = key_before::<K>(newer, older, heads.i, heads.j);
        let mut equal = 0u32;
        for at in start..end {
            let is_older = heads.is_older_next(newer_len, older_len);
            let key = heads.key(is_older);
            out[at as usize] = key;
            copy_one(is_older, older_values, newer_values, heads.place(is_older), out_values, at, words);
            equal += u32::cast_from(key == before);
            before = key;
            heads.advance(newer, older, is_older);
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
    let (newer_len, older_len) = (newer.len() as u32, older.len() as u32);
    let start = min(ABSOLUTE_POS as u32 * MERGE_ITEMS, newer_len + older_len);
    let end = start + min(MERGE_ITEMS, newer_len + older_len - start);
    if start < end {
        let mut heads = Heads::<K>::at_step(newer, older, start);
        let mut mine = 0u32;
        for at in start..end {
            let is_older = heads.is_older_next(newer_len, older_len);
            let place = heads.place(is_older);
            out[at as usize] = heads.key(is_older);
            copy_one(is_older, older_values, newer_values, place, out_values, at, words);
            let from = select(is_older, older_marks, newer_marks);
            if from > 0 {
                let word = marks[(from + place / 32) as usize];
                mine |= ((word >> (place % 32)) & 1) << (at - start);
            }
            heads.advance(newer, older, is_older);
        }
        marks[ABSOLUTE_POS] = mine;
    }
}

/// Where a merge is in both lists, and the keys there: so each step reads one key.
#[derive(CubeType)]
pub(super) struct Heads<K: Int> {
    pub(super) i: u32,
    pub(super) j: u32,
    pub(super) newer: K,
    pub(super) older: K,
}

#[cube]
impl<K: Int> Heads<K> {
    /// After `step` entries of both lists.
    fn at_step(newer: &[K], older: &[K], step: u32) -> Heads<K> {
        let j = older_before::<K>(newer, older, 0, newer.len() as u32, 0, older.len() as u32, step);
        Heads::<K>::at(newer, older, step - j, j)
    }

    /// After `i` newer and `j` older entries.
    pub(super) fn at(newer: &[K], older: &[K], i: u32, j: u32) -> Heads<K> {
        Heads::<K> { i, j, newer: key_at::<K>(newer, i), older: key_at::<K>(older, j) }
    }

    /// Whether the next entry is an older one: so where it is not larger, and where there is no newer one left.
    pub(super) fn is_older_next(&self, newer_end: u32, older_end: u32) -> bool {
        self.j < older_end && (self.i == newer_end || self.older <= self.newer)
    }

    pub(super) fn key(&self, is_older: bool) -> K {
        select(is_older, self.older, self.newer)
    }

    pub(super) fn place(&self, is_older: bool) -> u32 {
        select(is_older, self.j, self.i)
    }

    pub(super) fn advance(&mut self, newer: &[K], older: &[K], is_older: bool) {
        if is_older {
            self.j += 1;
            self.older = key_at::<K>(older, self.j);
        } else {
            self.i += 1;
            self.newer = key_at::<K>(newer, self.i);
        }
    }

    /// Goes on elsewhere in the newer list.
    pub(super) fn move_newer(&mut self, newer: &[K], i: u32) {
        self.i = i;
        self.newer = key_at::<K>(newer, i);
    }

    /// Goes on elsewhere in the older list.
    pub(super) fn move_older(&mut self, older: &[K], j: u32) {
        self.j = j;
        self.older = key_at::<K>(older, j);
    }
}

/// The key at a place, or the largest where there is none.
#[cube]
fn key_at<K: Int>(keys: &[K], i: u32) -> K {
    let mut key = K::max_value();
    if (i as usize) < keys.len() {
        key = keys[i as usize];
    }
    key
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
