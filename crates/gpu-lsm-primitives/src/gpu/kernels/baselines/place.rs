//! place: a part of an array over a part of another, and a filler where there is no more.
//!
//! Input    from: elements, taken from the one at `start` on
//! Output   out: written from the element `at` to its end
//! Launch   one unit per ITEMS elements written
//! Cost     reads what there is once, writes once
//! Twin     host/baselines/place.rs      Source  paper, section 4.1: gpu_memory_set, gpu_memory_copy

use crate::tuning::ITEMS;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn place(from: &[u32], out: &mut [u32], start: u32, at: u32, filler: u32) {
    let first = CUBE_POS * (CUBE_DIM * ITEMS) as usize + UNIT_POS as usize;
    for item in 0..ITEMS {
        let i = first + (item * CUBE_DIM) as usize;
        if i + (at as usize) < out.len() {
            let source = i + start as usize;
            let mut element = filler;
            if source < from.len() {
                element = from[source];
            }
            out[i + at as usize] = element;
        }
    }
}
