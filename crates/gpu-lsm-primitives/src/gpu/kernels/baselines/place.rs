//! place: copies a part of one array over a part of another, and pads with a filler.
//!
//! Input    from: elements, read from `start` on
//! Output   out: written from element `at` to its end; the filler if `from` is too short
//! Launch   one unit per ITEMS elements written
//! Cost     reads each element that exists once, writes each once
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
