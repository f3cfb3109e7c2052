//! A dictionary beside its model, and a check for every query.

use crate::keys::{TestKey, TestValue};
use crate::operations::{Operation, batch};
use gpu_lsm::{Answers, Config, Device, Dictionary, Key, Neighbours, Ranges, Snapshot};
use gpu_lsm_primitives::{Code, Start};
use std::collections::BTreeMap;
use std::ops::{Bound, Deref};

/// A dictionary beside its model, which is ordered by the codes of the keys.
#[derive(Debug)]
pub struct Pair<K: TestKey, V: TestValue, D = Dictionary<K, V>> {
    /// The dictionary under test.
    pub dictionary: D,
    /// The entries that it must hold.
    pub model: BTreeMap<K::Code, V>,
}

/// A snapshot beside its model.
pub type Held<K, V> = Pair<K, V, Box<Snapshot<K, V>>>;

/// The codes of keys.
pub fn codes<K: Key>(keys: &[K]) -> Vec<K::Code> {
    keys.iter().map(|key| key.to_code()).collect()
}

impl<K: TestKey, V: TestValue> Pair<K, V> {
    /// An empty dictionary and an empty model.
    pub fn new(device: &Device, batch_size: usize) -> Self {
        Self::with_config(device, Config::new().with_batch_size(batch_size))
    }

    /// The same, with options for the dictionary.
    pub fn with_config(device: &Device, config: Config) -> Self {
        Self { dictionary: Dictionary::with_config(device, config).unwrap(), model: BTreeMap::new() }
    }

    /// Applies operations to both.
    pub fn apply(&mut self, operations: &[Operation<K, V>]) {
        self.dictionary.apply(&batch(operations)).unwrap();
        self.tell_model(operations);
    }

    /// Applies operations to the model only: the dictionary got them by another call.
    pub fn tell_model(&mut self, operations: &[Operation<K, V>]) {
        for &(key, value) in operations {
            match value {
                Some(value) => self.model.insert(key.to_code(), value),
                None => self.model.remove(&key.to_code()),
            };
        }
    }

    /// A snapshot of both, which later updates do not change.
    pub fn held(&self) -> Held<K, V> {
        Pair { dictionary: Box::new(self.dictionary.snapshot()), model: self.model.clone() }
    }
}

impl<K: TestKey, V: TestValue, D: Deref<Target = Snapshot<K, V>>> Pair<K, V, D> {
    /// Checks all invariants of the runs and the answers for `keys`, and that missing values are zero.
    pub fn check(&self, keys: &[K], case: &str) {
        self.dictionary.verify().unwrap_or_else(|error| panic!("{case}: {error}"));
        let answers = self.dictionary.lookup(keys).unwrap_or_else(|error| panic!("{case}: {error}"));
        self.check_answers(keys, &answers, case);
    }

    /// Checks the answers of a lookup.
    pub fn check_answers(&self, keys: &[K], answers: &Answers<V>, case: &str) {
        assert_eq!(answers.len(), keys.len());
        for (i, key) in keys.iter().enumerate() {
            let expected = self.model.get(&key.to_code()).copied();
            assert_eq!(answers.get(i), expected, "{case}, key {key:?}");
            assert_eq!(answers.values()[i], expected.unwrap_or(V::zeroed()), "{case}, value of {key:?}");
        }
    }

    /// Checks counts and ranges of intervals, all in one call.
    pub fn check_intervals(&self, intervals: &[(K, K)], case: &str) {
        let (lower, upper): (Vec<K>, Vec<K>) = intervals.iter().copied().unzip();
        let counts = self.dictionary.count(&lower, &upper).unwrap_or_else(|error| panic!("{case}: {error}"));
        let ranges = self.dictionary.range(&lower, &upper).unwrap_or_else(|error| panic!("{case}: {error}"));
        self.check_counts(&lower, &upper, &counts, case);
        self.check_ranges(&lower, &upper, &ranges, None, case);
    }

    /// Checks the counts of intervals.
    pub fn check_counts(&self, lower: &[K], upper: &[K], counts: &[u64], case: &str) {
        let bounds = lower.iter().zip(upper);
        let expected = bounds.map(|(&lower, &upper)| self.entries(Start::At, lower, upper).count() as u64);
        assert!(expected.eq(counts.iter().copied()), "{case}: counts {counts:?} from {lower:?} to {upper:?}");
    }

    /// Checks the results of ranges, at most the first `limit` entries of each.
    pub fn check_ranges(
        &self,
        lower: &[K],
        upper: &[K],
        ranges: &Ranges<K, V>,
        limit: Option<usize>,
        case: &str,
    ) {
        self.check_pages(Start::At, lower, upper, ranges, limit, case);
    }

    /// Checks the results of ranges that start at each lower key, or after it.
    pub fn check_pages(
        &self,
        start: Start,
        lower: &[K],
        upper: &[K],
        ranges: &Ranges<K, V>,
        limit: Option<usize>,
        case: &str,
    ) {
        assert_eq!(ranges.len(), lower.len(), "{case}");
        for (i, (keys, values)) in ranges.iter().enumerate() {
            let found = codes(keys);
            let expected = self.entries(start, lower[i], upper[i]).take(limit.unwrap_or(usize::MAX));
            assert!(
                found.iter().zip(values).eq(expected),
                "{case}, {start:?} {:?} to {:?}",
                lower[i],
                upper[i]
            );
        }
    }

    /// The model's entries in an interval.
    pub fn entries(&self, start: Start, lower: K, upper: K) -> impl Iterator<Item = (&K::Code, &V)> {
        let (first, last) = (lower.to_code(), upper.to_code());
        let bound = match start {
            Start::At => Bound::Included(first),
            Start::After => Bound::Excluded(first),
        };
        let is_above = first > last;
        let bounds =
            if is_above { (Bound::Unbounded, Bound::Unbounded) } else { (bound, Bound::Included(last)) };
        self.model.range(bounds).take(if is_above { 0 } else { usize::MAX })
    }

    /// Checks the successors and predecessors of keys, and the first and last entry.
    pub fn check_neighbours(&self, keys: &[K], case: &str) {
        let next = self.dictionary.successor(keys).unwrap_or_else(|error| panic!("{case}: {error}"));
        let before = self.dictionary.predecessor(keys).unwrap_or_else(|error| panic!("{case}: {error}"));
        self.check_successors(keys, &next, case);
        self.check_predecessors(keys, &before, case);
        self.check_ends(self.dictionary.first().unwrap(), self.dictionary.last().unwrap(), case);
    }

    /// Checks the entries with the smallest and the largest key.
    pub fn check_ends(&self, first: Option<(K, V)>, last: Option<(K, V)>, case: &str) {
        let code = |entry: Option<(K, V)>| entry.map(|(key, value)| (key.to_code(), value));
        let entry = |entry: (&K::Code, &V)| (*entry.0, *entry.1);
        assert_eq!(code(first), self.model.iter().next().map(entry), "{case}");
        assert_eq!(code(last), self.model.iter().next_back().map(entry), "{case}");
    }

    /// Checks the first entries at or after keys.
    pub fn check_successors(&self, keys: &[K], found: &Neighbours<K, V>, case: &str) {
        self.check_nearest(keys, found, case, |code| self.model.range(code..).next());
    }

    /// Checks the last entries at or before keys.
    pub fn check_predecessors(&self, keys: &[K], found: &Neighbours<K, V>, case: &str) {
        self.check_nearest(keys, found, case, |code| self.model.range(..=code).next_back());
    }

    /// A missing entry must read as zero in the caller's form of keys.
    fn check_nearest<'m>(
        &'m self,
        keys: &[K],
        found: &Neighbours<K, V>,
        case: &str,
        nearest: impl Fn(K::Code) -> Option<(&'m K::Code, &'m V)>,
    ) {
        assert_eq!(found.len(), keys.len(), "{case}");
        for (i, key) in keys.iter().enumerate() {
            let expected = nearest(key.to_code()).map(|(&code, &value)| (code, value));
            let entry = found.get(i).map(|(key, value)| (key.to_code(), value));
            assert_eq!(entry, expected, "{case}, next to {key:?}");
            if expected.is_none() {
                assert_eq!(found.keys()[i].to_code(), K::zero().to_code(), "{case}, next to {key:?}");
                assert_eq!(found.values()[i], V::zeroed(), "{case}, next to {key:?}");
            }
        }
    }

    /// Checks that the chunks of a scan contain the model's entries in order.
    pub fn check_chunks(&self, chunks: Vec<(Vec<K>, Vec<V>)>, case: &str) {
        let (keys, values): (Vec<_>, Vec<_>) = chunks.into_iter().unzip();
        assert!(codes(&keys.concat()).iter().zip(&values.concat()).eq(&self.model), "{case}: a scan");
    }

    /// Checks the answers for all keys of the model and for the keys next to them.
    pub fn check_all(&self, case: &str) {
        let around = |code: &K::Code| {
            let code = code.to_u64();
            [code.wrapping_sub(1), code, code.wrapping_add(1)]
        };
        let keys = self.model.keys().flat_map(around).map(K::coded);
        self.check(&keys.chain(K::edges()).collect::<Vec<_>>(), case);
    }
}
