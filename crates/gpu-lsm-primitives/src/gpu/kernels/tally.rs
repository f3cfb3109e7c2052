//! tally: how the entries of a run change the set of keys, so that a count becomes a subtraction.
//!
//! An insert of a key that the older runs lack adds a key, a tombstone of a key that they have removes one, and all
//! other entries change nothing. So the changes of all runs in an interval add up to the number of its live keys.
//!
//! Input    found: for each entry, 1 if the older runs have its key, else 0; marks: one bit per entry, or none
//! Output   tally: for every 32 entries, and one past the last: the sum of the changes before them, a bit for each
//!          entry that adds a key, and a bit for each that removes one
//! Launch   1. direct: one unit per 32 entries; staged: one cube per tile of entries   3. one unit per 32 entries;
//!          to count, one unit per query
//! Steps    1. the bits of 32 entries, and how many are set   2. scan both counts   3. the sums
//!          to count: two searches, and the sum of the changes before each
//! Cost     reads each word once, writes three words per 32 entries
//! Twin     host/tally.rs

use super::shared::marks::is_marked;
use super::shared::packing::{piece_of_unit, tile_words};
use super::shared::searching::interval;
use super::shared::staging::{joined, staged_at, tile_len};
use crate::entries::found::PRESENT;
use crate::gpu::axes::Tiles;
use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

/// The bytes of shared memory of a cube in step 1, staged.
pub(crate) fn shared_bytes(units: u32) -> u32 {
    (tile_len(units) + units + 2 * tile_words(units)) * 4
}

/// Step 1.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn tally_bits(
    found: &[u32],
    marks: &[u32],
    tally: &mut [u32],
    added: &mut [u32],
    removed: &mut [u32],
    #[comptime] units: u32,
    #[comptime] tiles: Tiles,
) {
    if comptime!(tiles == Tiles::Staged) {
        bits_staged(found, marks, tally, added, removed, units);
    } else {
        bits_direct(found, marks, tally, added, removed);
    }
}

#[cube]
fn bits_direct(found: &[u32], marks: &[u32], tally: &mut [u32], added: &mut [u32], removed: &mut [u32]) {
    let word = ABSOLUTE_POS;
    if word < added.len() {
        let mut adds = 0u32;
        let mut removes = 0u32;
        for bit in 0..32u32 {
            let i = word as u32 * 32 + bit;
            if (i as usize) < found.len() {
                let is_there = found[i as usize] == PRESENT;
                if is_marked(marks, i) {
                    if is_there {
                        removes |= 1u32 << bit;
                    }
                } else if !is_there {
                    adds |= 1u32 << bit;
                }
            }
        }
        tally[3 * word + 1] = adds;
        tally[3 * word + 2] = removes;
        added[word] = adds.count_ones();
        removed[word] = removes.count_ones();
    }
}

#[cube]
fn bits_staged(
    found: &[u32],
    marks: &[u32],
    tally: &mut [u32],
    added: &mut [u32],
    removed: &mut [u32],
    #[comptime] units: u32,
) {
    let words = comptime!(tile_words(units));
    let mut flags = Shared::<[u32]>::new_slice(comptime!(tile_len(units) as usize));
    let mut pieces = Shared::<[u32]>::new_slice(comptime!(units as usize));
    let mut changes = Shared::<[u32]>::new_slice(comptime!(2 * words as usize));
    let start = CUBE_POS * comptime!(tile_len(units) as usize);
    #[unroll]
    for item in 0..STAGED_ITEMS {
        let k = staged_at(item, units);
        // Past the last entry nothing is added, as if all keys were there.
        let mut flag = 1u32;
        if start + k < found.len() {
            flag = u32::cast_from(found[start + k] == PRESENT);
        }
        flags[k] = flag;
    }
    sync_cube();
    pieces[UNIT_POS as usize] = piece_of_unit(&flags);
    sync_cube();
    let word = CUBE_POS * comptime!(words as usize) + UNIT_POS as usize;
    if UNIT_POS < words && word < added.len() {
        let there = joined(&pieces, UNIT_POS);
        let mut marked = 0u32;
        if word < marks.len() {
            marked = marks[word];
        }
        let adds = !there & !marked;
        let removes = there & marked;
        changes[UNIT_POS as usize] = adds;
        changes[(words + UNIT_POS) as usize] = removes;
        added[word] = adds.count_ones();
        removed[word] = removes.count_ones();
    }
    sync_cube();
    // Neighbouring units store the two words of one entry.
    let mine = UNIT_POS / 2;
    let word = CUBE_POS * comptime!(words as usize) + mine as usize;
    if mine < words && word < added.len() {
        tally[3 * word + 1 + (UNIT_POS % 2) as usize] = changes[(UNIT_POS % 2 * words + mine) as usize];
    }
}

/// Step 3. `added`, `removed`: for every 32 entries, how many keys all entries before them add and remove.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn tally_sums(added: &[u32], removed: &[u32], tally: &mut [u32]) {
    let word = ABSOLUTE_POS;
    if word < added.len() {
        tally[3 * word] = added[word] - removed[word];
        if word + 1 == added.len() {
            tally[3 * word + 1] = 0;
            tally[3 * word + 2] = 0;
        }
    }
}

/// Adds the changes in each query's interval to the counts; with `first`, the counts are not read. In a run without a
/// tally, every entry adds a key.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn tally_between<K: Int>(
    keys: &[K],
    index: &[u32],
    tally: &[u32],
    lower: &[K],
    upper: &[K],
    counts: &mut [u32],
    first: u32,
    #[comptime] guessing: bool,
) {
    let q = ABSOLUTE_POS;
    if q < lower.len() {
        let mut count = 0u32;
        if first == 0 {
            count = counts[q];
        }
        if lower[q] <= upper[q] {
            let (start, end) = interval::<K>(keys, index, lower[q], upper[q], false, guessing);
            count += before(tally, end) - before(tally, start);
        }
        counts[q] = count;
    }
}

/// The sum of the changes of all entries before `entry`.
#[cube]
fn before(tally: &[u32], entry: u32) -> u32 {
    let mut sum = entry;
    if tally.len() > 1 {
        let word = (entry / 32 * 3) as usize;
        let below = (1u32 << (entry % 32)) - 1;
        let added = tally[word + 1] & below;
        let removed = tally[word + 2] & below;
        sum = tally[word] + added.count_ones() - removed.count_ones();
    }
    sum
}
