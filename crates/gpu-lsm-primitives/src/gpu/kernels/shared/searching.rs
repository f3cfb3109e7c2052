//! Searches for keys in a run: with its index, also two at a time, and without.

use super::filter::{filter_bits, filter_word, hash};
use crate::entries::INDEX_WORDS;
use cubecl::prelude::*;

/// Where in the index the record of a query's part starts: 0 if the query is smaller than all keys, the last record if
/// it is behind all parts.
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

/// Whether a run may have a key. An empty run has no index.
#[cube]
pub(crate) fn may_have<K: Int>(keys: &[K], index: &[u32], query: K) -> bool {
    let mut may = false;
    if index.len() > 1 {
        let record = record_of::<K>(keys, index, query);
        let hash = hash::<K>(query);
        let bits = filter_bits(hash);
        may = record > 0 && index[(record + 1 + filter_word(hash)) as usize] & bits == bits;
    }
    may
}

/// Where the keys of a query's part start and end. An empty run has no index.
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

/// A binary search for a key in its part, step by step, so that a unit can run two at a time: a step depends on the
/// previous step of its own search, but not on the other search.
#[derive(CubeType)]
pub(crate) struct Halving<K: Int> {
    query: K,
    low: u32,
    high: u32,
    // The key at `high`, if it was read. Otherwise `high` is the end of the part, the query's key is not there, and
    // this differs from the query.
    next: K,
}

#[cube]
impl<K: Int> Halving<K> {
    pub(crate) fn begin(keys: &[K], index: &[u32], query: K) -> Halving<K> {
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

    /// After the search: the number of keys that are smaller than the query.
    pub(crate) fn before(&self) -> u32 {
        self.low
    }

    /// After the search: whether the next key equals the query.
    pub(crate) fn is_next(&self) -> bool {
        self.next == self.query
    }
}

/// Runs one search to its end.
#[cube]
pub(crate) fn searched<K: Int>(keys: &[K], index: &[u32], query: K) -> Halving<K> {
    let mut search = Halving::<K>::begin(keys, index, query);
    while search.is_open() {
        search.step(keys);
    }
    search
}

/// Runs two searches to their end, side by side.
#[cube]
pub(crate) fn halve<K: Int>(keys: &[K], one: &mut Halving<K>, two: &mut Halving<K>) {
    while one.is_open() || two.is_open() {
        one.step(keys);
        two.step(keys);
    }
}

/// The number of keys that are smaller than `lower` (with `after`: not larger), and the number of keys that are not
/// larger than `upper`.
#[cube]
pub(crate) fn interval<K: Int>(keys: &[K], index: &[u32], lower: K, upper: K, after: bool) -> (u32, u32) {
    let mut start = Halving::<K>::begin(keys, index, lower);
    let mut end = Halving::<K>::begin(keys, index, upper);
    halve::<K>(keys, &mut start, &mut end);
    (start.before() + u32::cast_from(after && start.is_next()), end.before() + u32::cast_from(end.is_next()))
}

/// The number of keys that are smaller than `query`, which must be between `first` and `last`.
#[cube]
pub(crate) fn lower_bound_within<K: Int>(keys: &[K], query: K, first: u32, last: u32) -> u32 {
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
