//! probe: lookups in levels of doubling lengths, newest first.
//!
//! Input    keys, values: all levels; queries: plain keys in any order
//! Output   found, out: for each query, whether its key is present, and its value or zero
//! Launch   one unit per query
//! Steps    a binary search in each full level, until one has the key
//! Cost     per level, about log2 of its length scattered reads
//! Twin     host/baselines/probe.rs      Source  paper, section 4.2

use super::shared::smaller;
use crate::baselines::LARGEST_KEY;
use crate::entries::found;
use cubecl::prelude::*;

#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn probe(
    keys: &[u32],
    values: &[u32],
    queries: &[u32],
    found: &mut [u32],
    out: &mut [u32],
    batch: u32,
    batches: u32,
) {
    let q = ABSOLUTE_POS;
    if q < queries.len() {
        let query = queries[q];
        let mut state = found::MISSING.runtime();
        let mut value = 0u32;
        let mut start = 0u32;
        let mut len = batch;
        let mut rest = batches;
        if query > LARGEST_KEY {
            rest = 0u32.runtime();
        }
        while rest != 0 {
            if rest & 1 == 1 {
                let (at, key) = smaller(keys, start, len, query << 1);
                if at < len && key >> 1 == query {
                    rest = 0u32.runtime();
                    if key & 1 == 1 {
                        state = found::PRESENT.runtime();
                        value = values[(start + at) as usize];
                    }
                }
            }
            start += len;
            len *= 2;
            rest >>= 1u32;
        }
        found[q] = state;
        out[q] = value;
    }
}
