//! fill: writes a number or marks from a few parameters, without a copy of host memory.
//!
//! Output   out: a number; or one bit for each position below `len`, set from `first` on
//! Launch   one unit per word
//! Cost     writes each word once

use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn fill_number(out: &mut [u32], number: u32) {
    if ABSOLUTE_POS == 0 {
        out[0] = number;
    }
}

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn fill_marks(out: &mut [u32], first: u32, len: u32) {
    if ABSOLUTE_POS < out.len() {
        let start = ABSOLUTE_POS as u32 * 32;
        out[ABSOLUTE_POS] = bits_from(start, first) & !bits_from(start, len);
    }
}

/// Of the 32 bits for the positions from `start` on, those from position `first` on are set.
#[cube]
fn bits_from(start: u32, first: u32) -> u32 {
    let mut bits = u32::MAX.runtime();
    if first >= start + 32 {
        bits = 0u32.runtime();
    } else if first > start {
        bits = u32::MAX.runtime() << (first - start);
    }
    bits
}
