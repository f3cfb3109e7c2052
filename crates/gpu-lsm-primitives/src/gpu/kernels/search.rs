//! search: lookups in one run, of what newer runs left open.
//!
//! Input    keys: strictly ascending; values as words; marks: a bit per entry, or none; index: as `index`
//!          makes it; queries: in any order
//! Output   states, out: for each query that was open, whether the run has the key, and its value
//! Launch   one unit per query
//! Steps    a look at the filter of one part of the index, and a binary search in it where it may have the key
//! Cost     one scattered read per open query; where the run has the key, or seems to, a neighbour in the index and about
//!          log2 of a part's keys more
//! Twin     host/search.rs      Source  paper, section 3.4

use super::index::{is_at, lower_bound, may_have};
use crate::entries::found;
use cubecl::prelude::*;

/// `first`: nothing was found before, `states` and `out` are not read. `last`: deleted becomes missing.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn search<K: Int>(
    keys: &[K],
    values: &[u32],
    marks: &[u32],
    index: &[u32],
    queries: &[K],
    states: &mut [u32],
    out: &mut [u32],
    first: u32,
    last: u32,
    #[comptime] words: u32,
) {
    let q = ABSOLUTE_POS;
    if q < queries.len() {
        let mut before = found::MISSING.runtime();
        if first == 0 {
            before = states[q];
        }
        let mut state = before;
        if before == found::MISSING {
            let query = queries[q];
            let mut at = keys.len() as u32;
            if may_have::<K>(keys, index, query) {
                at = lower_bound::<K>(keys, index, query);
            }
            if is_at::<K>(keys, at, query) {
                state = found::PRESENT.runtime();
                if is_marked(marks, at) {
                    state = found::DELETED.runtime();
                }
            }
            // What is still missing was written by the first search.
            if first == 1 || state == found::PRESENT {
                #[unroll]
                for word in 0..words {
                    let mut value = 0u32;
                    if state == found::PRESENT {
                        value = values[(at * words + word) as usize];
                    }
                    out[q * words as usize + word as usize] = value;
                }
            }
        }
        if last == 1 && state == found::DELETED {
            state = found::MISSING.runtime();
        }
        if first == 1 || state != before {
            states[q] = state;
        }
    }
}

/// Whether bit `i` is set; no bit is where there are no bits.
#[cube]
pub(super) fn is_marked(bits: &[u32], i: u32) -> bool {
    mark_at(bits, i) == 1
}

/// Bit `i` as a number; zero where there are no bits.
#[cube]
pub(super) fn mark_at(bits: &[u32], i: u32) -> u32 {
    let mut mark = 0u32;
    let word = (i / 32) as usize;
    if word < bits.len() {
        mark = (bits[word] >> (i % 32)) & 1;
    }
    mark
}
