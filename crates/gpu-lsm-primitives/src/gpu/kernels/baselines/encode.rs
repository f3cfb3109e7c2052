//! encode: the paper's key variables for a batch, and its values in their order.
//!
//! Input    keys: as given, at least one; marks: one bit per key, or none; values: as given, or fewer
//! Output   out: each key with its status in the lowest bit, from the last key to the first, then the first again; or
//!          the values at given positions of that order
//! Launch   one unit per ITEMS outputs
//! Steps    the batch is reversed, so that a stable sort puts the last of equal keys first
//! Cost     reads and writes each element once
//! Twin     host/baselines/encode.rs      Source  paper, section 4.1

use crate::gpu::kernels::shared::marks::is_marked;
use crate::tuning::ITEMS;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn encode_keys(keys: &[u32], marks: &[u32], out: &mut [u32]) {
    let start = CUBE_POS * (CUBE_DIM * ITEMS) as usize + UNIT_POS as usize;
    for item in 0..ITEMS {
        let i = start + (item * CUBE_DIM) as usize;
        if i < out.len() {
            let source = source_of(i as u32, keys.len() as u32);
            let mut status = 1u32;
            if is_marked(marks, source) {
                status = 0u32.runtime();
            }
            out[i] = (keys[source as usize] << 1) | status;
        }
    }
}

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn encode_values(values: &[u32], positions: &[u32], out: &mut [u32], keys: u32) {
    let start = CUBE_POS * (CUBE_DIM * ITEMS) as usize + UNIT_POS as usize;
    for item in 0..ITEMS {
        let i = start + (item * CUBE_DIM) as usize;
        if i < out.len() {
            let source = source_of(positions[i], keys) as usize;
            let mut value = 0u32;
            if source < values.len() {
                value = values[source];
            }
            out[i] = value;
        }
    }
}

/// Which of `keys` keys is at a position of the encoded batch.
#[cube]
fn source_of(position: u32, keys: u32) -> u32 {
    keys - 1 - min(position, keys - 1)
}
