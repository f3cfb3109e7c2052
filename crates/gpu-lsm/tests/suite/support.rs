//! Devices, keys, and a model that is told what the dictionary is told.

use gpu_lsm::{Batch, Config, Device, Dictionary, Key, Value};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// The best GPU there is; software Vulkan counts. None is a failure, not a reason to skip.
#[cfg(feature = "gpu")]
pub(crate) fn gpu() -> Device {
    Device::gpu().expect("the GPU tests need a Vulkan driver, for instance mesa-vulkan-drivers")
}

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A key type with its edges.
pub(crate) trait TestKey: Key {
    /// Both ends of the domain and of its halves.
    fn edges() -> Vec<Self>;
}

impl TestKey for u32 {
    fn edges() -> Vec<Self> {
        vec![0, 1, (1 << 31) - 1, 1 << 31, u32::MAX - 1, u32::MAX]
    }
}

impl TestKey for u64 {
    fn edges() -> Vec<Self> {
        let halves = [(1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63];
        [&[0, 1], &halves[..], &[u64::MAX - 1, u64::MAX]].concat()
    }
}

/// A value type that tests can make from a number.
pub(crate) trait TestValue: Value + PartialEq + Debug {
    fn from_number(number: u64) -> Self;
}

impl TestValue for () {
    fn from_number(_: u64) -> Self {}
}
impl TestValue for u32 {
    fn from_number(number: u64) -> Self {
        number as u32
    }
}
impl TestValue for f64 {
    fn from_number(number: u64) -> Self {
        f64::from(number as u32)
    }
}
impl TestValue for [u32; 4] {
    fn from_number(number: u64) -> Self {
        [number as u32, (number >> 32) as u32, !number as u32, 7]
    }
}

/// One operation: a key with a value, or a delete.
pub(crate) type Operation<K, V> = (K, Option<V>);

pub(crate) fn batch<K: Key, V: Value>(operations: &[Operation<K, V>]) -> Batch<K, V> {
    let mut batch = Batch::new();
    for &(key, value) in operations {
        match value {
            Some(value) => batch.insert(key, value),
            None => batch.delete(key),
        }
    }
    batch
}

/// A dictionary beside a model of it.
pub(crate) struct Pair<K: TestKey, V: TestValue> {
    pub(crate) dictionary: Dictionary<K, V>,
    pub(crate) model: BTreeMap<K, V>,
}

impl<K: TestKey, V: TestValue> Pair<K, V> {
    pub(crate) fn new(device: &Device, batch_size: usize) -> Self {
        let config = Config::new().batch_size(batch_size);
        Self { dictionary: Dictionary::with_config(device, config).unwrap(), model: BTreeMap::new() }
    }

    pub(crate) fn apply(&mut self, operations: &[Operation<K, V>]) {
        self.dictionary.apply(&batch(operations)).unwrap();
        self.tell_model(operations);
    }

    pub(crate) fn tell_model(&mut self, operations: &[Operation<K, V>]) {
        for &(key, value) in operations {
            match value {
                Some(value) => self.model.insert(key, value),
                None => self.model.remove(&key),
            };
        }
    }

    /// Checks every rule of the runs, the answers for `keys`, and that what is missing is zero.
    pub(crate) fn check(&self, keys: &[K], case: &str) {
        self.dictionary.verify().unwrap_or_else(|error| panic!("{case}: {error}"));
        let answers = self.dictionary.lookup(keys).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(answers.len(), keys.len());
        for (i, key) in keys.iter().enumerate() {
            let expected = self.model.get(key).copied();
            assert_eq!(answers.get(i), expected, "{case}, key {key}");
            assert_eq!(answers.values()[i], expected.unwrap_or(V::zeroed()), "{case}, value of {key}");
        }
    }

    /// Checks counts and ranges of intervals, all at once.
    pub(crate) fn check_intervals(&self, intervals: &[(K, K)], case: &str) {
        let (lower, upper): (Vec<K>, Vec<K>) = intervals.iter().copied().unzip();
        let counts = self.dictionary.count(&lower, &upper).unwrap_or_else(|error| panic!("{case}: {error}"));
        let ranges = self.dictionary.range(&lower, &upper).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!((counts.len(), ranges.len()), (lower.len(), lower.len()), "{case}");
        for (i, (keys, values)) in ranges.iter().enumerate() {
            let is_in = |entry: &(&K, &V)| lower[i] <= *entry.0 && *entry.0 <= upper[i];
            let expected = self.model.iter().filter(is_in);
            assert!(keys.iter().zip(values).eq(expected), "{case}, from {} to {}", lower[i], upper[i]);
            assert_eq!(counts[i], keys.len() as u64, "{case}, from {} to {}", lower[i], upper[i]);
        }
    }

    /// Checks the nearest entries to keys in both directions, and the ends.
    pub(crate) fn check_neighbours(&self, keys: &[K], case: &str) {
        let entry = |entry: (&K, &V)| (*entry.0, *entry.1);
        let next = self.dictionary.successor(keys).unwrap_or_else(|error| panic!("{case}: {error}"));
        let before = self.dictionary.predecessor(keys).unwrap_or_else(|error| panic!("{case}: {error}"));
        for (i, key) in keys.iter().enumerate() {
            let expected = self.model.range(key..).next().map(entry);
            assert_eq!(next.get(i), expected, "{case}, successor of {key}");
            let expected = self.model.range(..=key).next_back().map(entry);
            assert_eq!(before.get(i), expected, "{case}, predecessor of {key}");
        }
        assert_eq!(self.dictionary.first().unwrap(), self.model.iter().next().map(entry), "{case}");
        assert_eq!(self.dictionary.last().unwrap(), self.model.iter().next_back().map(entry), "{case}");
    }

    /// Checks the answers for everything that the model has, and for the neighbours of its keys.
    pub(crate) fn check_all(&self, case: &str) {
        let keys: Vec<u64> = self.model.keys().map(|key| key.to_string().parse().unwrap()).collect();
        let around = |&key: &u64| [key.wrapping_sub(1), key, key.wrapping_add(1)];
        let keys = keys.iter().flat_map(around).map(K::truncated);
        self.check(&keys.chain(K::edges()).collect::<Vec<_>>(), case);
    }
}

/// `len` random operations on keys below `universe`, spread over the domain, and sometimes on its edges.
pub(crate) fn random_operations<K: TestKey, V: TestValue>(
    rng: &mut ChaCha8Rng,
    len: usize,
    universe: u64,
    deletes: f64,
) -> Vec<Operation<K, V>> {
    let edges = K::edges();
    (0..len)
        .map(|_| {
            let key = match rng.random_range(0..20) {
                0 => edges[rng.random_range(0..edges.len())],
                _ => spread(rng.random_range(0..universe)),
            };
            (key, (!rng.random_bool(deletes)).then(|| V::from_number(rng.random())))
        })
        .collect()
}

/// The `i`-th of a set of keys that lie all over the domain.
pub(crate) fn spread<K: TestKey>(i: u64) -> K {
    K::truncated(i.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17))
}
