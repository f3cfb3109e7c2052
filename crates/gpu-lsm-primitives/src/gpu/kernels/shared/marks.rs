//! Marks: one bit per entry, set for tombstones: 32 per word, starting with the lowest bit.

use crate::tuning::STAGED_ITEMS;
use cubecl::prelude::*;

/// Whether bit `i` is set; false if there are no bits.
#[cube]
pub(crate) fn is_marked(bits: &[u32], i: u32) -> bool {
    mark_at(bits, i) == 1
}

/// Bit `i` as a number; zero if there are no bits.
#[cube]
pub(crate) fn mark_at(bits: &[u32], i: u32) -> u32 {
    let mut mark = 0u32;
    let word = (i / 32) as usize;
    if word < bits.len() {
        mark = (bits[word] >> (i % 32)) & 1;
    }
    mark
}

/// The marks from position `at` on, at least `STAGED_ITEMS` of them, where the first word of marks is `first`. Past the
/// last word, anything.
#[cube]
pub(crate) fn marks_from(bits: &[u32], first: u32, at: u32) -> u32 {
    let word = first + at / 32;
    let shift = at % 32;
    let mut marks = 0u32;
    if (word as usize) < bits.len() {
        marks = bits[word as usize] >> shift;
    }
    if shift > comptime!(32 - STAGED_ITEMS) && (word as usize + 1) < bits.len() {
        marks |= bits[word as usize + 1] << (32 - shift);
    }
    marks
}
