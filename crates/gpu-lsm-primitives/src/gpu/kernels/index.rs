//! index: where in a run the keys of each of many equal parts of their range start, so that a search begins near its end;
//! and a filter for each part, so that most searches for what is not there need no key at all.
//!
//! Input    keys: strictly ascending, as many as `count` says, or all where it has nothing or is to be one number
//! Output   index: as `entries.rs` says
//! Launch   one unit per part, of which there is one more
//! Steps    search where the part starts and where it ends, then go through its keys; not where they are too many for a
//!          filter, so that no unit has long to do
//! Cost     reads every key once, and about log2 of them per part, neighbouring units mostly the same ones; writes INDEX_WORDS
//!          words per part
//! Twin     host/index.rs      Source  Bloom 1970

use super::shared::filter::{filter_bits, filter_word, hash};
use super::shared::searching::lower_bound_within;
use crate::entries::{FILTER_WORDS, INDEX_WORDS};
use crate::tuning::FILTER_KEYS;
use cubecl::prelude::*;

/// In place of the number that a count is to be: it says how many keys there are.
pub(crate) const ANY: u32 = u32::MAX;

/// `only_if`: where the count is another number, nothing is written. `parts`: how many there may be, at least 2.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn index<K: Int>(
    keys: &[K],
    count: &[u32],
    index: &mut [u32],
    count_at: u32,
    only_if: u32,
    parts: u32,
) {
    let mut len = keys.len() as u32;
    let mut is_needed = true;
    if (count_at as usize) < count.len() {
        if only_if == ANY {
            len = count[count_at as usize];
        } else {
            is_needed = count[count_at as usize] == only_if;
        }
    }
    let part = ABSOLUTE_POS as u32;
    if is_needed && part <= parts {
        let mut shift = 0u32;
        let mut start = len;
        let mut end = len;
        if len > 0 {
            let first = keys[0];
            let span = keys[(len - 1) as usize] - first;
            while span >> K::cast_from(shift) >= K::cast_from(parts) {
                shift += 1;
            }
            let last_part = span >> K::cast_from(shift);
            if K::cast_from(part) <= last_part {
                start = lower_bound_within::<K>(
                    keys,
                    first + (K::cast_from(part) << K::cast_from(shift)),
                    0,
                    len,
                );
            }
            if K::cast_from(part) < last_part {
                end = next_bound::<K>(
                    keys,
                    first + (K::cast_from(part + 1) << K::cast_from(shift)),
                    start,
                    len,
                );
            }
        }
        write_record::<K>(keys, start, end, index, part + 1);
        if part == 0 {
            index[0] = shift;
            #[unroll]
            for word in 1..INDEX_WORDS {
                index[word as usize] = 0;
            }
        }
    }
}

/// How many keys are smaller than `query`, at least `before`: looks ever further, then up to the last look.
#[cube]
fn next_bound<K: Int>(keys: &[K], query: K, before: u32, len: u32) -> u32 {
    let mut reach = FILTER_KEYS.runtime();
    while reach < len - before && keys[(before + min(reach, len - before - 1)) as usize] < query {
        reach += min(reach, len - before - reach);
    }
    lower_bound_within::<K>(keys, query, before, before + min(reach, len - before))
}

/// Where a part's keys start, and their filter.
#[cube]
fn write_record<K: Int>(keys: &[K], start: u32, end: u32, index: &mut [u32], record: u32) {
    let mut filter = Array::<u32>::new(comptime!(FILTER_WORDS as usize));
    let is_full = end - start > FILTER_KEYS;
    #[unroll]
    for word in 0..FILTER_WORDS {
        filter[word as usize] = select(is_full, u32::MAX, 0u32);
    }
    let mut filtered = end;
    if is_full {
        filtered = start;
    }
    for i in start..filtered {
        let hash = hash::<K>(keys[i as usize]);
        #[unroll]
        for word in 0..FILTER_WORDS {
            filter[word as usize] |= select(filter_word(hash) == word, filter_bits(hash), 0u32);
        }
    }
    index[(record * INDEX_WORDS) as usize] = start;
    #[unroll]
    for word in 0..FILTER_WORDS {
        index[(record * INDEX_WORDS + 1 + word) as usize] = filter[word as usize];
    }
}
