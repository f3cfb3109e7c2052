//! copy: the words of a buffer, from one of them on, into another, from one of its words on.
//!
//! Input    words: those before `from` are left out
//! Output   out: has room for the others behind its first `to` words
//! Launch   one unit per ITEMS words
//! Cost     reads and writes each word once

use crate::tuning::ITEMS;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn copy(words: &[u32], out: &mut [u32], from: u32, to: u32) {
    let start = CUBE_POS * (CUBE_DIM * ITEMS) as usize + UNIT_POS as usize;
    let len = words.len() - from as usize;
    for item in 0..ITEMS {
        let i = start + (item * CUBE_DIM) as usize;
        if i < len {
            out[i + to as usize] = words[i + from as usize];
        }
    }
}
