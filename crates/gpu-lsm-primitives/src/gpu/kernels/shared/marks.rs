//! Marks: a bit for each entry that is a tombstone, 32 entries to a word, the first in the lowest bit.

use cubecl::prelude::*;

/// Whether bit `i` is set; no bit is where there are no bits.
#[cube]
pub(crate) fn is_marked(bits: &[u32], i: u32) -> bool {
    mark_at(bits, i) == 1
}

/// Bit `i` as a number; zero where there are no bits.
#[cube]
pub(crate) fn mark_at(bits: &[u32], i: u32) -> u32 {
    let mut mark = 0u32;
    let word = (i / 32) as usize;
    if word < bits.len() {
        mark = (bits[word] >> (i % 32)) & 1;
    }
    mark
}
