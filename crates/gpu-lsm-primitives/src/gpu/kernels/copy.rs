//! copy: the first words of a buffer into a smaller one.
//!
//! Input    words: at least as many as the output has
//! Output   out: the first words
//! Launch   one unit per ITEMS words
//! Cost     reads and writes each word once

use crate::tuning::ITEMS;
use cubecl::prelude::*;

#[cube(launch_unchecked)]
pub(crate) fn copy(words: &[u32], out: &mut [u32]) {
    let start = CUBE_POS * (CUBE_DIM * ITEMS) as usize + UNIT_POS as usize;
    for item in 0..ITEMS {
        let i = start + (item * CUBE_DIM) as usize;
        if i < out.len() {
            out[i] = words[i];
        }
    }
}
