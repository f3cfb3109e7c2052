//! gather: brings values into the order of their keys.
//!
//! Input    first, second: values as words; sources: for each output its position in the first input, or, from `split`
//!          on, `split` plus its position in the second
//! Output   out: values; zero for a source past the end of the second input
//! Launch   one unit per ITEMS entries
//! Cost     reads each source and the value that it names once, writes the result once
//! Twin     host/gather.rs

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
) {
    let start = CUBE_POS * (CUBE_DIM * ITEMS) as usize + UNIT_POS as usize;
    for item in 0..ITEMS {
        let i = start + (item * CUBE_DIM) as usize;
        let mut source = u32::MAX.runtime();
        if i < sources.len() {
            source = sources[i];
        }
        if i < sources.len() && (keep == 0 || source != u32::MAX) {
            #[unroll]
            for word in 0..words {
                let mut value = 0u32;
                if source < split {
                    value = first[(source * words + word) as usize];
                } else {
                    let at = ((source - split) * words + word) as usize;
                    if at < second.len() {
                        value = second[at];
                    }
                }
                out[i * words as usize + word as usize] = value;
            }
        }
    }
}
