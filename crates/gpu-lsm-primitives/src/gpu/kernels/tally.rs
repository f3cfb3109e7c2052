//! tally: how the entries of a run change the set of keys, so that a count becomes a subtraction.
//!
//! An insert of a key that the older runs lack adds a key, a tombstone of a key that they have removes one, and all
//! other entries change nothing. So the changes of all runs in an interval add up to the number of its live keys.
//!
//! Input    found: for each entry, 1 if the older runs have its key, else 0; marks: one bit per entry, or none
//! Output   tally: for every 32 entries, and one past the last: the sum of the changes before them, a bit for each
//!          entry that adds a key, and a bit for each that removes one
//! Launch   one unit per 32 entries; to count, one unit per query
//! Steps    1. the bits of 32 entries, and how many are set   2. scan both counts   3. the sums
//!          to count: two searches, and the sum of the changes before each
//! Cost     reads each word once, writes three words per 32 entries
//! Twin     host/tally.rs

use super::shared::marks::is_marked;
use super::shared::searching::interval;
use cubecl::prelude::*;

/// Step 1.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn tally_bits(
    found: &[u32],
    marks: &[u32],
    tally: &mut [u32],
    added: &mut [u32],
    removed: &mut [u32],
) {
    let word = ABSOLUTE_POS;
    if word < added.len() {
        let mut adds = 0u32;
        let mut removes = 0u32;
        for bit in 0..32u32 {
            let i = word as u32 * 32 + bit;
            if (i as usize) < found.len() {
                let is_there = found[i as usize] == 1;
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
) {
    let q = ABSOLUTE_POS;
    if q < lower.len() {
        let mut count = 0u32;
        if first == 0 {
            count = counts[q];
        }
        if lower[q] <= upper[q] {
            let (start, end) = interval::<K>(keys, index, lower[q], upper[q], false);
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
