//! copy: copies the words of one buffer into another, starting at a given word of the other.
//!
//! Input    words
//! Output   out: at least `offset` words longer
//! Launch   one unit per ITEMS words
//! Cost     reads and writes each word once

use crate::tuning::ITEMS;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn copy(words: &[u32], out: &mut [u32], offset: u32) {
    let start = CUBE_POS * (CUBE_DIM * ITEMS) as usize + UNIT_POS as usize;
    for item in 0..ITEMS {
        let i = start + (item * CUBE_DIM) as usize;
        if i < words.len() {
            out[i + offset as usize] = words[i];
        }
    }
}
