//! index: divides a run's key range into equal parts, and says where the keys of each part start, so that a search
//! begins close to its key. Each part has a filter, so that most searches for absent keys read no key at all.
//!
//! Input    keys: strictly ascending; count: how many of them there are; or, with `only_if`, the condition; or none
//! Output   index: see `entries.rs`
//! Launch   one unit per part, and one more
//! Steps    search for the start and the end of the part, then add its keys to the filter. If they are too many for a
//!          filter, this is skipped, so that no unit works for long
//! Cost     reads every key once, and about log2 of all keys per part, mostly the same ones for neighbouring units;
//!          writes INDEX_WORDS words per part
//! Twin     host/index.rs      Source  Bloom 1970

use super::shared::filter::{filter_bits, filter_word, hash};
use super::shared::searching::lower_bound_within;
use crate::entries::{FILTER_WORDS, INDEX_WORDS};
use crate::tuning::FILTER_KEYS;
use cubecl::prelude::*;

/// As `only_if`: there is no condition, and the count is the number of keys.
pub(crate) const ANY: u32 = u32::MAX;

/// `only_if`: if the count is a different number, nothing is written. `parts`: the most parts that there may be, at
/// least 2.
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

/// How many keys are smaller than `query`, given that at least `before` are. Looks ahead in doubling steps, then
/// searches the last step.
#[cube]
fn next_bound<K: Int>(keys: &[K], query: K, before: u32, len: u32) -> u32 {
    let mut reach = FILTER_KEYS.runtime();
    while reach < len - before && keys[(before + min(reach, len - before - 1)) as usize] < query {
        reach += min(reach, len - before - reach);
    }
    lower_bound_within::<K>(keys, query, before, before + min(reach, len - before))
}

/// Writes where a part's keys start, and their filter.
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
