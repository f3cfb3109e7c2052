//! merge: merges a newer and an older sorted list into one; all entries stay.
//!
//! Input    newer, older: keys ascending, neither empty, with their values as words; optionally marks, one bit per
//!          entry
//! Output   out, out_values: all entries in ascending order; of equal keys, the older come first. With marks: those of
//!          the output. Without: hidden, to which the number of keys that equal their predecessor is added, if it is
//!          bound
//! Launch   direct: one unit per MERGE_ITEMS entries of the output, which is one word of marks; staged: one cube per tile
//!          of the output
//! Steps    direct: find where the unit starts in both inputs (merge path), then step through them; staged: find where
//!          the tile starts and ends in both inputs, bring it to shared memory, and merge it there
//! Cost     reads and writes every key and value once
//! Twin     host/merge.rs      Source  Green, McColl, Bader 2012; paper, section 4.1

mod four;

use super::shared::marks::marks_from;
use super::shared::merging::Heads;
use super::shared::searching::lower_bound_within;
use super::shared::staged_merging::{MergeTile, Stretches, notes_len, staged_len};
use super::shared::staging::{joined, tile_len};
use super::shared::values::copy_one;
use crate::gpu::axes::Tiles;
use crate::tuning::MERGE_ITEMS;
use cubecl::prelude::*;
pub(crate) use four::{merge_four, merge_four_values, sources_len, values_bytes};

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
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    if comptime!(tiles == Tiles::Staged) {
        let mut staged = Shared::<[K]>::new_slice(comptime!(staged_len(units) as usize));
        let mut notes = Shared::<[u32]>::new_slice(comptime!(notes_len(units) as usize));
        // A cube adds to the number of hidden entries only once.
        let equal = Shared::<[Atomic<u32>]>::new_slice(1usize);
        let tile = cubes_tile::<K>(newer, older, &mut notes, units);
        tile.stage::<K>(newer, older, &mut staged);
        if UNIT_POS == 0 {
            staged[comptime!(tile_len(units) as usize)] =
                key_before::<K>(newer, older, tile.newer, tile.older);
            equal[0].store(0u32);
        }
        sync_cube();
        let mine = tile.merge::<K>(&staged, &mut notes, true);
        if mine.equal > 0 {
            equal[0].fetch_add(mine.equal);
        }
        sync_cube();
        if UNIT_POS == 0 && hidden.len() == 1 && equal[0].load() > 0 {
            hidden[0].fetch_add(equal[0].load());
        }
        tile.write_keys::<K>(&staged, &notes, out);
        tile.write_values(&notes, newer_values, older_values, out_values, words);
    } else {
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
}

/// The same with marks. A kernel cannot bind three more buffers, so `marks` holds all marks: first the output's, then,
/// from the words `newer_marks` and `older_marks` on, those of both sides. 0 means that a side has none.
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
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    if comptime!(tiles == Tiles::Staged) {
        let mut staged = Shared::<[K]>::new_slice(comptime!(staged_len(units) as usize));
        let mut notes = Shared::<[u32]>::new_slice(comptime!(notes_len(units) as usize));
        let mut strings = Shared::<[u32]>::new_slice(comptime!(units as usize));
        let tile = cubes_tile::<K>(newer, older, &mut notes, units);
        tile.stage::<K>(newer, older, &mut staged);
        sync_cube();
        let mine = tile.merge::<K>(&staged, &mut notes, false);
        let newer_bits = marks_of_side(&*marks, newer_marks, tile.newer + mine.newer);
        let older_bits = marks_of_side(&*marks, older_marks, tile.older + mine.older);
        strings[UNIT_POS as usize] = tile.marks(&mine, newer_bits, older_bits);
        sync_cube();
        tile.write_keys::<K>(&staged, &notes, out);
        tile.write_values(&notes, newer_values, older_values, out_values, words);
        if 32 * UNIT_POS < tile.len {
            marks[(tile.start / 32 + UNIT_POS) as usize] = joined(&strings, UNIT_POS);
        }
    } else {
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
}

/// The marks of one side from position `at` on, as many as a unit needs. `first`: the side's first word, 0 if it has none.
#[cube]
fn marks_of_side(marks: &[u32], first: u32, at: u32) -> u32 {
    let mut side = 0u32;
    if first > 0 {
        side = marks_from(marks, first, at);
    }
    side
}

/// The cube's tile. All units of the cube must call it.
#[cube]
fn cubes_tile<K: Int>(newer: &[K], older: &[K], notes: &mut [u32], #[comptime] units: u32) -> MergeTile {
    let whole = Stretches {
        newer: 0,
        newer_len: newer.len() as u32,
        older: 0,
        older_len: older.len() as u32,
        out: 0,
    };
    let start = CUBE_POS as u32 * comptime!(tile_len(units));
    MergeTile::find::<K>(newer, older, &whole, start, notes, units, 0u32)
}

/// The largest of the first `i` newer and `j` older keys. If both are 0, a key that differs from the first one.
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

/// For each older key, 1 if it is also among the newer keys, else 0.
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

/// Whether `key` is at a position, which may be past the end.
#[cube]
fn is_at<K: Int>(keys: &[K], at: u32, key: K) -> bool {
    let mut is_here = false;
    if (at as usize) < keys.len() {
        is_here = keys[at as usize] == key;
    }
    is_here
}
