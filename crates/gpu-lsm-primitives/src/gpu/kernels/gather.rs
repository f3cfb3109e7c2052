//! gather: brings values into the order of their keys.
//!
//! Input    first, second: values as words; sources: for each output its position in the first input, or, from `split`
//!          on, `split` plus its position in the second
//! Output   out: values; zero for a source past the end of the second input
//! Launch   one unit per ITEMS entries or, staged, for as many words as these have
//! Cost     reads each source and the value that it names once, writes the result once
//! Twin     host/gather.rs

use crate::gpu::axes::Tiles;
use crate::tuning::ITEMS;
use cubecl::prelude::*;

/// Each value has `words` words. `keep`: if 1, an output whose source is the largest number keeps its previous content.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn gather_values(
    first: &[u32],
    second: &[u32],
    sources: &[u32],
    out: &mut [u32],
    split: u32,
    keep: u32,
    #[comptime] words: u32,
    #[comptime] tiles: Tiles,
) {
    // A value is moved in one go or, so that neighbouring units move neighbouring words, word by word.
    let goes = comptime!(if tiles == Tiles::Staged { words } else { 1 });
    let words_each = comptime!(words / goes);
    let start = CUBE_POS * (CUBE_DIM * comptime!(ITEMS * goes)) as usize + UNIT_POS as usize;
    for item in 0..comptime!(ITEMS * goes) {
        let at = start + (item * CUBE_DIM) as usize;
        let i = at / comptime!(goes as usize);
        let mut source = u32::MAX.runtime();
        if i < sources.len() {
            source = sources[i];
        }
        if i < sources.len() && (keep == 0 || source != u32::MAX) {
            #[unroll]
            for word in 0..words_each {
                let of_value = (at % comptime!(goes as usize)) as u32 + word;
                out[at * comptime!(words_each as usize) + word as usize] =
                    word_of(first, second, source, split, of_value, words);
            }
        }
    }
}

/// A word of the value at a source.
#[cube]
fn word_of(first: &[u32], second: &[u32], source: u32, split: u32, word: u32, #[comptime] words: u32) -> u32 {
    let mut value = 0u32;
    if source < split {
        value = first[(source * words + word) as usize];
    } else {
        let at = ((source - split) * words + word) as usize;
        if at < second.len() {
            value = second[at];
        }
    }
    value
}
