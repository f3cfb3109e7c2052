//! recode: converts natives to codes or codes to natives, as `recoding.rs` defines them.
//!
//! Input    words: one or two per key, the low word first
//! Output   out: the converted keys
//! Launch   one unit per key
//! Cost     reads and writes each word once
//! Twin     host/recode.rs

use crate::recoding::Recoding;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn recode(words: &[u32], out: &mut [u32], #[comptime] recoding: Recoding) {
    let words_each = comptime!(recoding.words());
    let at = ABSOLUTE_POS * words_each;
    if at < out.len() {
        let low = words[at];
        let high = words[at + words_each - 1];
        match comptime!(recoding) {
            Recoding::I32 => out[at] = low ^ TOP,
            Recoding::F32 => out[at] = low ^ (turned(low) | TOP),
            Recoding::F32Back => out[at] = low ^ (turned(!low) | TOP),
            Recoding::I64 => {
                out[at] = low;
                out[at + 1] = high ^ TOP;
            }
            Recoding::F64 => {
                out[at] = low ^ turned(high);
                out[at + 1] = high ^ (turned(high) | TOP);
            }
            Recoding::F64Back => {
                out[at] = low ^ turned(!high);
                out[at + 1] = high ^ (turned(!high) | TOP);
            }
            Recoding::Pair => {
                out[at] = high;
                out[at + 1] = low;
            }
            Recoding::Morton => {
                out[at] = spread(low & 0xFFFF) | (spread(high & 0xFFFF) << 1);
                out[at + 1] = spread(low >> 16) | (spread(high >> 16) << 1);
            }
            Recoding::MortonBack => {
                out[at] = collected(low) | (collected(high) << 16);
                out[at + 1] = collected(low >> 1) | (collected(high >> 1) << 16);
            }
        }
    }
}

const TOP: u32 = 1 << 31;

/// All bits set if the highest bit of `word` is, else zero.
#[cube]
fn turned(word: u32) -> u32 {
    0u32 - (word >> 31)
}

/// The bits of a 16-bit number, each with a zero above it.
#[cube]
fn spread(number: u32) -> u32 {
    let mut bits = (number | (number << 8)) & 0x00FF_00FF;
    bits = (bits | (bits << 4)) & 0x0F0F_0F0F;
    bits = (bits | (bits << 2)) & 0x3333_3333;
    (bits | (bits << 1)) & 0x5555_5555
}

/// Every second bit of a number, from the lowest on.
#[cube]
fn collected(number: u32) -> u32 {
    let mut bits = number & 0x5555_5555;
    bits = (bits | (bits >> 1)) & 0x3333_3333;
    bits = (bits | (bits >> 2)) & 0x0F0F_0F0F;
    bits = (bits | (bits >> 4)) & 0x00FF_00FF;
    (bits | (bits >> 8)) & 0xFFFF
}
