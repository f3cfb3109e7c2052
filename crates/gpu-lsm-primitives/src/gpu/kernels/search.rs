//! search: looks up the queries that newer runs left open, in one run.
//!
//! Input    keys: strictly ascending; values as words; marks: one bit per entry, or none; index: as `index` builds it;
//!          queries: in any order
//! Output   states, out: for each query that was open, whether the run has the key, and its value
//! Launch   one unit per `items` queries, at most 32
//! Steps    1. for each query, check the filter of one part of the index
//!          2. for each query that passes, a search in the part, two at a time. Each unit collects its passing queries
//!          first, so that no unit idles while it still has searches to do
//! Cost     one scattered read per open query; if its filter passes, also two adjacent records of the index, a value,
//!          and keys: about log2 of a part's keys or, with guesses and an even spread of keys, two or three
//! Twin     host/search.rs      Source  paper, section 3.4

use super::shared::marks::is_marked;
use super::shared::searching::{Seek, may_have, seek_both};
use crate::entries::found;
use cubecl::prelude::*;

/// `first`: 1 if this is the first run; then `states` and `out` are not read. `last`: 1 if deleted becomes missing.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn search<K: Int>(
    keys: &[K],
    values: &[u32],
    marks: &[u32],
    index: &[u32],
    queries: &[K],
    states: &mut [u32],
    out: &mut [u32],
    items: u32,
    first: u32,
    last: u32,
    #[comptime] words: u32,
    #[comptime] guessing: bool,
) {
    let start = CUBE_POS * (CUBE_DIM * items) as usize + UNIT_POS as usize;
    let mut open = 0u32;
    for item in 0..items {
        let q = start + (item * CUBE_DIM) as usize;
        if q < queries.len() {
            let mut state = found::MISSING.runtime();
            if first == 0 {
                state = states[q];
            }
            if state == found::MISSING && may_have::<K>(keys, index, queries[q]) {
                open |= 1u32 << item;
            } else if first == 1 || (last == 1 && state == found::DELETED) {
                write(found::MISSING.runtime(), 0, values, states, out, q, words);
            }
        }
    }
    while open != 0 {
        let q = start + (open.trailing_zeros() * CUBE_DIM) as usize;
        open &= open - 1;
        let mut other = q;
        if open != 0 {
            other = start + (open.trailing_zeros() * CUBE_DIM) as usize;
            open &= open - 1;
        }
        let mut one = Seek::<K>::begin(keys, index, queries[q], true, guessing);
        let mut two = Seek::<K>::begin(keys, index, queries[other], other != q, guessing);
        seek_both::<K>(keys, &mut one, &mut two);
        answer::<K>(&one, values, marks, states, out, q, first, last, words);
        if other != q {
            answer::<K>(&two, values, marks, states, out, other, first, last, words);
        }
    }
}

/// Writes the answer of a finished search to query `q`.
#[cube]
fn answer<K: Int>(
    search: &Seek<K>,
    values: &[u32],
    marks: &[u32],
    states: &mut [u32],
    out: &mut [u32],
    q: usize,
    first: u32,
    last: u32,
    #[comptime] words: u32,
) {
    let mut state = found::MISSING.runtime();
    if search.is_next() {
        let deleted = select(last == 1, found::MISSING, found::DELETED);
        state = select(is_marked(marks, search.before()), deleted, found::PRESENT);
    }
    if first == 1 || state != found::MISSING {
        write(state, search.before(), values, states, out, q, words);
    }
}

/// Writes a state and, if it is "present", the value at a position, else zero.
#[cube]
fn write(
    state: u32,
    at: u32,
    values: &[u32],
    states: &mut [u32],
    out: &mut [u32],
    q: usize,
    #[comptime] words: u32,
) {
    states[q] = state;
    #[unroll]
    for word in 0..words {
        let mut value = 0u32;
        if state == found::PRESENT {
            value = values[(at * words + word) as usize];
        }
        out[q * words as usize + word as usize] = value;
    }
}
