//! number: finds the list of each candidate.
//!
//! Input    offsets: where the candidates of each list start, and where the last list ends
//! Output   list_of: for each candidate, the number of its list
//! Launch   one unit per MERGE_ITEMS candidates
//! Steps    a binary search for the first candidate's list; when a list ends, a short search ahead for the next
//! Cost     writes each number once
//! Twin     host/baselines/number.rs

use crate::gpu::kernels::shared::queries::{next_query, query_of};
use crate::tuning::MERGE_ITEMS;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn number(offsets: &[u32], list_of: &mut [u32]) {
    let first = ABSOLUTE_POS * MERGE_ITEMS as usize;
    if first < list_of.len() {
        let mut list = query_of(offsets, 1u32, first as u32);
        for item in 0..MERGE_ITEMS {
            let out = first + item as usize;
            if out < list_of.len() {
                if offsets[list as usize + 1] <= out as u32 {
                    list = next_query(offsets, 1u32, list, out as u32);
                }
                list_of[out] = list;
            }
        }
    }
}
