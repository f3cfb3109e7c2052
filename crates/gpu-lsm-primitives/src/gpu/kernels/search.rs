//! search: lookups in one run, of what newer runs left open.
//!
//! Input    keys: strictly ascending; values as words; marks: a bit per entry, or none; queries: in any order
//! Output   states, out: for each query that was open, whether the run has the key, and its value
//! Launch   one unit per query
//! Steps    a binary search
//! Cost     about log2 of the run's length scattered reads per open query
//! Twin     host/search.rs      Source  paper, section 3.4

use super::merge::is_marked;
use crate::entries::found;
use cubecl::prelude::*;

/// `first`: nothing was found before, `states` and `out` are not read. `last`: deleted becomes missing.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn search<K: Int>(
    keys: &[K],
    values: &[u32],
    marks: &[u32],
    queries: &[K],
    states: &mut [u32],
    out: &mut [u32],
    first: u32,
    last: u32,
    #[comptime] words: u32,
) {
    let q = ABSOLUTE_POS;
    if q < queries.len() {
        let mut state = found::MISSING.runtime();
        if first == 0 {
            state = states[q];
        }
        if state == found::MISSING {
            let query = queries[q];
            let at = lower_bound::<K>(keys, query);
            let len = keys.len() as u32;
            let mut is_here = false;
            if at < len {
                is_here = keys[at as usize] == query;
            }
            if is_here {
                state = found::PRESENT.runtime();
                if is_marked(marks, at) {
                    state = found::DELETED.runtime();
                }
            }
            #[unroll]
            for word in 0..words {
                let mut value = 0u32;
                if state == found::PRESENT {
                    value = values[(at * words + word) as usize];
                }
                out[q * words as usize + word as usize] = value;
            }
        }
        if last == 1 && state == found::DELETED {
            state = found::MISSING.runtime();
        }
        states[q] = state;
    }
}

/// How many keys are smaller than `query`.
#[cube]
pub(super) fn lower_bound<K: Int>(keys: &[K], query: K) -> u32 {
    let mut low = 0u32;
    let mut high = keys.len() as u32;
    while low < high {
        let middle = low + (high - low) / 2;
        if keys[middle as usize] < query {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
