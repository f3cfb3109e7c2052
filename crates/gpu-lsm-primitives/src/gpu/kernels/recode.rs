//! recode: converts natives to codes or codes to natives, as `recoding.rs` defines them.
//!
//! Input    words: one or two per key, the low word first
//! Output   out: the converted keys
//! Launch   direct: one unit per key; staged: one unit per word, so that neighbours write neighbouring words
//! Cost     reads and writes each word once
//! Twin     host/recode.rs

use crate::gpu::axes::Tiles;
use crate::recoding::Recoding;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn recode(
    words: &[u32],
    out: &mut [u32],
    #[comptime] recoding: Recoding,
    #[comptime] tiles: Tiles,
) {
    let words_each = comptime!(recoding.words());
    if comptime!(words_each == 1) {
        if ABSOLUTE_POS < out.len() {
            out[ABSOLUTE_POS] = recoded_word(words[ABSOLUTE_POS], recoding);
        }
    } else if comptime!(tiles == Tiles::Staged) {
        if ABSOLUTE_POS < out.len() {
            let at = ABSOLUTE_POS - ABSOLUTE_POS % 2;
            let (low, high) = recoded_words(words[at], words[at + 1], recoding);
            out[ABSOLUTE_POS] = select(at == ABSOLUTE_POS, low, high);
        }
    } else {
        let at = ABSOLUTE_POS * 2;
        if at < out.len() {
            let (low, high) = recoded_words(words[at], words[at + 1], recoding);
            out[at] = low;
            out[at + 1] = high;
        }
    }
}

/// A key of one word.
#[cube]
fn recoded_word(word: u32, #[comptime] recoding: Recoding) -> u32 {
    match comptime!(recoding) {
        Recoding::F32 => word ^ (turned(word) | TOP),
        Recoding::F32Back => word ^ (turned(!word) | TOP),
        _ => word ^ TOP,
    }
}

/// A key of two words.
#[cube]
fn recoded_words(low: u32, high: u32, #[comptime] recoding: Recoding) -> (u32, u32) {
    match comptime!(recoding) {
        Recoding::F64 => (low ^ turned(high), high ^ (turned(high) | TOP)),
        Recoding::F64Back => (low ^ turned(!high), high ^ (turned(!high) | TOP)),
        Recoding::Pair => (high, low),
        Recoding::Morton => (
            spread(low & 0xFFFF) | (spread(high & 0xFFFF) << 1),
            spread(low >> 16) | (spread(high >> 16) << 1),
        ),
        Recoding::MortonBack => {
            (collected(low) | (collected(high) << 16), collected(low >> 1) | (collected(high >> 1) << 16))
        }
        _ => (low, high ^ TOP),
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
