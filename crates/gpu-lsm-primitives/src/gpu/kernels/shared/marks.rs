//! Marks: one bit per entry, set for tombstones: 32 per word, starting with the lowest bit.

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
