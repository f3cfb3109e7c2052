//! marks: a bit for each entry of a run that is a tombstone; while entries move, a word for each.
//!
//! Input    bits: 32 entries to a word, the first in the lowest bit; sources: the entry that each word is for, or none
//!          where they are in order
//! Output   words: 1 or 0 for each entry; bits past the last entry are zero
//! Launch   to words: one unit per ITEMS entries; to bits: one unit per 32
//! Cost     reads and writes each once
//! Twin     host/marks.rs

use super::search::mark_at;
use crate::tuning::ITEMS;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn marks_to_words(bits: &[u32], sources: &[u32], words: &mut [u32]) {
    let start = CUBE_POS * (CUBE_DIM * ITEMS) as usize + UNIT_POS as usize;
    for item in 0..ITEMS {
        let i = start + (item * CUBE_DIM) as usize;
        if i < words.len() {
            let mut entry = i as u32;
            if i < sources.len() {
                entry = sources[i];
            }
            words[i] = mark_at(bits, entry);
        }
    }
}

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn marks_to_bits(words: &[u32], bits: &mut [u32]) {
    if ABSOLUTE_POS < bits.len() {
        let mut mine = 0u32;
        for bit in 0..32u32 {
            let i = ABSOLUTE_POS * 32 + bit as usize;
            if i < words.len() {
                mine |= words[i] << bit;
            }
        }
        bits[ABSOLUTE_POS] = mine;
    }
}
