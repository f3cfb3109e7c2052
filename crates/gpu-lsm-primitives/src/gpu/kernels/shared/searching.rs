//! Searches for keys in a run: with its index, also two at a time, and without.

use super::filter::{filter_bits, filter_word, hash};
use crate::entries::INDEX_WORDS;
use crate::tuning::{FILTER_KEYS, GUESSES};
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

/// A search for a key in its part, step by step, so that a unit can run two at a time: a step depends on the previous
/// step of its own search, but not on the other search.
///
/// Each step halves what is left of the part. If the search is `guessing`, its first steps look where they expect the
/// key instead: parts divide the range of keys evenly, so the distance to a key tells about how many keys lie between.
/// A part with so many keys that they are not spread evenly is halved at once.
#[derive(CubeType)]
pub(crate) struct Seek<K: Int> {
    query: K,
    low: u32,
    high: u32,
    // The key at `high`, if it was read. Otherwise `high` is the end of the part, the query's key is not there, and
    // this differs from the query.
    next: K,
    // How many guesses are left, and the next one.
    guesses: u32,
    guess: u32,
    // The number of keys in the part, and the exponent of its width, which is a power of two.
    len: u32,
    shift: u32,
    #[cube(comptime)]
    guessing: bool,
}

#[cube]
impl<K: Int> Seek<K> {
    /// If the query is not `wanted`, the search is over.
    pub(crate) fn begin(
        keys: &[K],
        index: &[u32],
        query: K,
        wanted: bool,
        #[comptime] guessing: bool,
    ) -> Seek<K> {
        let mut low = 0u32;
        let mut high = 0u32;
        if wanted {
            let (start, end) = part_of::<K>(keys, index, query);
            low = start;
            high = end;
        }
        let (guesses, guess, shift) = (0u32, 0u32, 0u32);
        let mut search =
            Seek::<K> { query, low, high, next: !query, guesses, guess, len: high - low, shift, guessing };
        if comptime!(guessing) {
            search.begin_to_guess(keys, index);
        }
        search
    }

    /// Guesses where the query is, if its part has few keys.
    fn begin_to_guess(&mut self, keys: &[K], index: &[u32]) {
        if self.is_open() && self.len <= FILTER_KEYS {
            self.guesses = GUESSES.runtime();
            self.shift = index[0];
            let width = K::cast_from(1u32) << K::cast_from(self.shift);
            self.guess = self.low + self.expected((self.query - keys[0]) & (width - K::cast_from(1u32)));
        }
    }

    fn is_open(&self) -> bool {
        self.low < self.high
    }

    fn step(&mut self, keys: &[K]) {
        if self.is_open() {
            let mut at = self.low + (self.high - self.low) / 2;
            if comptime!(self.guessing) {
                at = select(self.guesses > 0, self.guess, at);
            }
            let key = keys[at as usize];
            let is_before = key < self.query;
            self.low = select(is_before, at + 1, self.low);
            self.high = select(is_before, self.high, at);
            self.next = select(is_before, self.next, key);
            if comptime!(self.guessing) {
                self.low = select(key == self.query, at, self.low);
                self.guess_from(key, is_before);
            }
        }
    }

    /// Makes the next guess, given the key next to the lower end of what is left or, if not `is_before`, to the upper.
    fn guess_from(&mut self, key: K, is_before: bool) {
        let most = self.high - self.low - 1;
        let between = self.expected(select(is_before, self.query - key, key - self.query));
        let ahead = min(between, most);
        self.guess = self.low + select(is_before, ahead, most - ahead);
        self.guesses -= min(self.guesses, 1);
    }

    /// The number of keys that are expected within a distance.
    fn expected(&self, distance: K) -> u32 {
        // The distance in 2^16ths of the part's width.
        let narrowed = u32::cast_from(distance >> K::cast_from(max(self.shift, 16) - 16));
        let share = narrowed << (16 - min(self.shift, 16));
        (share * self.len) >> 16
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
pub(crate) fn searched<K: Int>(keys: &[K], index: &[u32], query: K, #[comptime] guessing: bool) -> Seek<K> {
    let mut search = Seek::<K>::begin(keys, index, query, true, guessing);
    while search.is_open() {
        search.step(keys);
    }
    search
}

/// Runs two searches to their end, side by side.
#[cube]
pub(crate) fn seek_both<K: Int>(keys: &[K], one: &mut Seek<K>, two: &mut Seek<K>) {
    while one.is_open() || two.is_open() {
        one.step(keys);
        two.step(keys);
    }
}

/// The number of keys that are smaller than `lower` (with `after`: not larger), and the number of keys that are not
/// larger than `upper`.
#[cube]
pub(crate) fn interval<K: Int>(
    keys: &[K],
    index: &[u32],
    lower: K,
    upper: K,
    after: bool,
    #[comptime] guessing: bool,
) -> (u32, u32) {
    let mut start = Seek::<K>::begin(keys, index, lower, true, guessing);
    let mut end = Seek::<K>::begin(keys, index, upper, true, guessing);
    seek_both::<K>(keys, &mut start, &mut end);
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
