//! Values: each consists of a few 32-bit words.

use cubecl::prelude::*;

/// Copies one value of `words` words.
#[cube]
pub(crate) fn copy_value(from: &[u32], i: u32, to: &mut [u32], at: u32, #[comptime] words: u32) {
    #[unroll]
    for word in 0..words {
        to[(at * words + word) as usize] = from[(i * words + word) as usize];
    }
}

/// Copies value `i`, of `words` words, from the first list or from the second. Both cases share one store, so that
/// neighbouring units store together.
#[cube]
pub(crate) fn copy_one(
    takes_first: bool,
    first: &[u32],
    second: &[u32],
    i: u32,
    to: &mut [u32],
    at: u32,
    #[comptime] words: u32,
) {
    #[unroll]
    for word in 0..words {
        to[(at * words + word) as usize] = word_of(takes_first, first, second, i * words + word);
    }
}

/// Word `i` of the first list or of the second.
#[cube]
pub(crate) fn word_of(takes_first: bool, first: &[u32], second: &[u32], i: u32) -> u32 {
    if takes_first { first[i as usize] } else { second[i as usize] }
}
