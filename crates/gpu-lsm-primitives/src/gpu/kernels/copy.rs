//! copy: copies the words of one buffer into another, starting at a given word of the other.
//!
//! Input    words
//! Output   out: at least `offset` words longer
//! Launch   one unit per ITEMS words, from the start of the output's line on
//! Cost     reads and writes each word once

use super::shared::staging::LINE_WORDS;
use crate::tuning::ITEMS;
use cubecl::prelude::*;

/// How many words of the output's line come before word `offset`.
pub(crate) fn lead(offset: usize) -> usize {
    offset % LINE_WORDS as usize
}

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn copy(words: &[u32], out: &mut [u32], offset: u32) {
    let lead = (offset % LINE_WORDS) as usize;
    let start = CUBE_POS * (CUBE_DIM * ITEMS) as usize + UNIT_POS as usize;
    for item in 0..ITEMS {
        let i = start + (item * CUBE_DIM) as usize;
        if i >= lead && i - lead < words.len() {
            out[i - lead + offset as usize] = words[i - lead];
        }
    }
}
