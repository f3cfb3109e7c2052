//! marks: one bit per entry, set for tombstones: 32 per word, starting with the lowest bit.
//!
//! Input    bits, and sources: for each bit of the output, its position in the input; or words: 1 or 0 for each entry
//! Output   bits; those past the last entry are zero
//! Launch   one unit per word of the output
//! Cost     reads and writes each once
//! Twin     host/marks.rs

use super::shared::marks::mark_at;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn marks_gather(bits: &[u32], sources: &[u32], out: &mut [u32]) {
    if ABSOLUTE_POS < out.len() {
        let mut mine = 0u32;
        for bit in 0..32u32 {
            let i = ABSOLUTE_POS * 32 + bit as usize;
            if i < sources.len() {
                mine |= mark_at(bits, sources[i]) << bit;
            }
        }
        out[ABSOLUTE_POS] = mine;
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
