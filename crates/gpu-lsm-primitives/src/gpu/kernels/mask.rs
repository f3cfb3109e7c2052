//! mask: the values of inserts, and zero in place of the values of deletes.
//!
//! Input    values as words; flags: zero for an insert, any other number for a delete
//! Output   out: as many values
//! Launch   one unit per word, so that neighbours read and write neighbouring words
//! Cost     reads and writes each word once
//! Twin     host/mask.rs

use cubecl::prelude::*;

/// Each value has `words` words.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn mask(values: &[u32], flags: &[u32], out: &mut [u32], #[comptime] words: u32) {
    if ABSOLUTE_POS < out.len() {
        let mut word = 0u32;
        if flags[ABSOLUTE_POS / comptime!(words as usize)] == 0 {
            word = values[ABSOLUTE_POS];
        }
        out[ABSOLUTE_POS] = word;
    }
}
