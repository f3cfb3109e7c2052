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

use crate::entries::{FILTER_FACTOR, FILTER_WORDS, INDEX_WORDS};
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

/// A number whose upper bits depend on all bits of a key. It and the two below are `filter_place` of `entries.rs`.
#[cube]
fn hash<K: Int>(key: K) -> u32 {
    // By 32 bits, in two steps that keys of 32 bits have too.
    let high = (key >> K::cast_from(16u32)) >> K::cast_from(16u32);
    (u32::cast_from(key) ^ u32::cast_from(high)) * FILTER_FACTOR
}

/// The filter's word that a key sets bits of.
#[cube]
fn filter_word(hash: u32) -> u32 {
    (((hash >> 6) & 0xffff) * FILTER_WORDS) >> 16
}

/// The bits that a key sets.
#[cube]
fn filter_bits(hash: u32) -> u32 {
    (1u32 << (hash >> 27)) | (1u32 << ((hash >> 22) & 31))
}

/// Where in the index the record of the part starts that `query` falls into: 0 where it falls before all parts, and the
/// last record where it falls behind them.
#[cube]
fn record_of<K: Int>(keys: &[K], index: &[u32], query: K) -> u32 {
    let first = keys[0];
    let last = index.len() as u32 / INDEX_WORDS - 1;
    let part = (query - min(query, first)) >> K::cast_from(index[0]);
    let mut record = last;
    if part < K::cast_from(last) {
        record = u32::cast_from(part) + 1;
    }
    if query < first {
        record = 0u32.runtime();
    }
    record * INDEX_WORDS
}

/// Whether a run may have a key. A run without keys has no index.
#[cube]
pub(super) fn may_have<K: Int>(keys: &[K], index: &[u32], query: K) -> bool {
    let mut may = false;
    if index.len() > 1 {
        let record = record_of::<K>(keys, index, query);
        let hash = hash::<K>(query);
        let bits = filter_bits(hash);
        may = record > 0 && index[(record + 1 + filter_word(hash)) as usize] & bits == bits;
    }
    may
}

/// Where the keys of the part that `query` falls into start and end. A run without keys has no index.
#[cube]
fn part_of<K: Int>(keys: &[K], index: &[u32], query: K) -> (u32, u32) {
    let mut start = 0u32;
    let mut end = 0u32;
    if index.len() > 1 {
        let record = record_of::<K>(keys, index, query);
        if record > 0 {
            start = index[record as usize];
            end = start;
            if (record + INDEX_WORDS) < index.len() as u32 {
                end = index[(record + INDEX_WORDS) as usize];
            }
        }
    }
    (start, end)
}

/// A search for a key in its part, step by step, so that a unit can do two side by side: a step waits for what the step
/// before it read, but not for the other search.
#[derive(CubeType)]
pub(super) struct Halving<K: Int> {
    query: K,
    low: u32,
    high: u32,
    // The key at `high`, where that was looked at. Else it is the end of the part, behind which no key is the one that is
    // asked for, and this is not either.
    next: K,
}

#[cube]
impl<K: Int> Halving<K> {
    pub(super) fn begin(keys: &[K], index: &[u32], query: K) -> Halving<K> {
        let (low, high) = part_of::<K>(keys, index, query);
        Halving::<K> { query, low, high, next: !query }
    }

    fn is_open(&self) -> bool {
        self.low < self.high
    }

    fn step(&mut self, keys: &[K]) {
        if self.is_open() {
            let middle = self.low + (self.high - self.low) / 2;
            let key = keys[middle as usize];
            let is_before = key < self.query;
            self.low = select(is_before, middle + 1, self.low);
            self.high = select(is_before, self.high, middle);
            self.next = select(is_before, self.next, key);
        }
    }

    /// At the end: how many keys are smaller.
    pub(super) fn before(&self) -> u32 {
        self.low
    }

    /// At the end: whether the next key is the one that is asked for.
    pub(super) fn is_next(&self) -> bool {
        self.next == self.query
    }
}

/// One search to its end.
#[cube]
pub(super) fn searched<K: Int>(keys: &[K], index: &[u32], query: K) -> Halving<K> {
    let mut search = Halving::<K>::begin(keys, index, query);
    while search.is_open() {
        search.step(keys);
    }
    search
}

/// Two searches to their end.
#[cube]
pub(super) fn halve<K: Int>(keys: &[K], one: &mut Halving<K>, two: &mut Halving<K>) {
    while one.is_open() || two.is_open() {
        one.step(keys);
        two.step(keys);
    }
}

/// How many keys are smaller than `lower`, or with `after` not larger; and how many are not larger than `upper`.
#[cube]
pub(super) fn interval<K: Int>(keys: &[K], index: &[u32], lower: K, upper: K, after: bool) -> (u32, u32) {
    let mut start = Halving::<K>::begin(keys, index, lower);
    let mut end = Halving::<K>::begin(keys, index, upper);
    halve::<K>(keys, &mut start, &mut end);
    (start.before() + u32::cast_from(after && start.is_next()), end.before() + u32::cast_from(end.is_next()))
}

/// How many keys are smaller than `query`, where it is known to be from `first` to `last`.
#[cube]
pub(super) fn lower_bound_within<K: Int>(keys: &[K], query: K, first: u32, last: u32) -> u32 {
    let mut low = first;
    let mut high = last;
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

/// Whether a key stands at a position; none does past the end.
#[cube]
pub(super) fn is_at<K: Int>(keys: &[K], at: u32, key: K) -> bool {
    let mut is_here = false;
    if (at as usize) < keys.len() {
        is_here = keys[at as usize] == key;
    }
    is_here
}
