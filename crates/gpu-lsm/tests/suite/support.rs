//! Devices, keys, and a model that is told what the dictionary is told.

use gpu_lsm::{Answers, Batch, Config, Device, Dictionary, Key, Morton, Neighbours, Ranges, Value};
use gpu_lsm_primitives::Key as Code;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The best GPU there is; software Vulkan counts. None is a failure, not a reason to skip.
#[cfg(feature = "gpu")]
pub(crate) fn gpu() -> Device {
    Device::gpu().expect("the GPU tests need a Vulkan driver, for instance mesa-vulkan-drivers")
}

/// Runs what needs 64-bit keys. Where there are none, it must end with the error that says so.
pub(crate) fn wide(device: &Device, part: impl FnOnce()) {
    if device.limits().has_u64_keys {
        return part();
    }
    let panic = catch_unwind(AssertUnwindSafe(part)).expect_err("64-bit keys are refused");
    match panic.downcast_ref::<String>() {
        Some(text) if text.contains("Unsupported { what: \"64-bit keys\"") => println!("refused: {text}"),
        _ => resume_unwind(panic),
    }
}

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A key type with its edges.
pub(crate) trait TestKey: Key {
    /// Both ends of the domain and of its halves.
    fn edges() -> Vec<Self>;

    /// The key whose code has the lowest bits of `number`.
    fn coded(number: u64) -> Self {
        Self::from_code(Code::truncated(number))
    }
}

macro_rules! test_keys {
    ($($key:ty),+) => {
        $(impl TestKey for $key {
            fn edges() -> Vec<Self> {
                edge_codes(<$key as Key>::Code::WIDTH.bits()).into_iter().map(Self::coded).collect()
            }
        })+
    };
}
test_keys!(u32, u64, i32, i64, f32, f64, (u32, u32), Morton);

fn edge_codes(bits: u32) -> BTreeSet<u64> {
    let last = u64::MAX >> (64 - bits);
    let halves = [(1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, last - 1, last];
    [0, 1].into_iter().chain(halves).filter(|&code| code <= last).collect()
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

/// A dictionary beside a model of it, by the codes of the keys.
pub(crate) struct Pair<K: TestKey, V: TestValue> {
    pub(crate) dictionary: Dictionary<K, V>,
    pub(crate) model: BTreeMap<K::Code, V>,
}

/// The codes of keys.
pub(crate) fn codes<K: Key>(keys: &[K]) -> Vec<K::Code> {
    keys.iter().map(|key| key.to_code()).collect()
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
                Some(value) => self.model.insert(key.to_code(), value),
                None => self.model.remove(&key.to_code()),
            };
        }
    }

    /// Checks every rule of the runs, the answers for `keys`, and that what is missing is zero.
    pub(crate) fn check(&self, keys: &[K], case: &str) {
        self.dictionary.verify().unwrap_or_else(|error| panic!("{case}: {error}"));
        let answers = self.dictionary.lookup(keys).unwrap_or_else(|error| panic!("{case}: {error}"));
        self.check_answers(keys, &answers, case);
    }

    pub(crate) fn check_answers(&self, keys: &[K], answers: &Answers<V>, case: &str) {
        assert_eq!(answers.len(), keys.len());
        for (i, key) in keys.iter().enumerate() {
            let expected = self.model.get(&key.to_code()).copied();
            assert_eq!(answers.get(i), expected, "{case}, key {key:?}");
            assert_eq!(answers.values()[i], expected.unwrap_or(V::zeroed()), "{case}, value of {key:?}");
        }
    }

    /// Checks counts and ranges of intervals, all at once.
    pub(crate) fn check_intervals(&self, intervals: &[(K, K)], case: &str) {
        let (lower, upper): (Vec<K>, Vec<K>) = intervals.iter().copied().unzip();
        let counts = self.dictionary.count(&lower, &upper).unwrap_or_else(|error| panic!("{case}: {error}"));
        let ranges = self.dictionary.range(&lower, &upper).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(counts.len(), lower.len(), "{case}");
        assert!(ranges.iter().map(|(keys, _)| keys.len() as u64).eq(counts), "{case}");
        self.check_ranges(&lower, &upper, &ranges, None, case);
    }

    /// Checks the entries that ranges found, at most the first `limit` of each.
    pub(crate) fn check_ranges(
        &self,
        lower: &[K],
        upper: &[K],
        ranges: &Ranges<K, V>,
        limit: Option<usize>,
        case: &str,
    ) {
        assert_eq!(ranges.len(), lower.len(), "{case}");
        for (i, (keys, values)) in ranges.iter().enumerate() {
            let (first, last) = (lower[i].to_code(), upper[i].to_code());
            let expected = self.model.iter().filter(|entry| first <= *entry.0 && *entry.0 <= last);
            let expected = expected.take(limit.unwrap_or(usize::MAX));
            let found = codes(keys);
            assert!(found.iter().zip(values).eq(expected), "{case}, from {:?} to {:?}", lower[i], upper[i]);
        }
    }

    /// Checks the nearest entries to keys in both directions, and the ends.
    pub(crate) fn check_neighbours(&self, keys: &[K], case: &str) {
        let next = self.dictionary.successor(keys).unwrap_or_else(|error| panic!("{case}: {error}"));
        let before = self.dictionary.predecessor(keys).unwrap_or_else(|error| panic!("{case}: {error}"));
        self.check_successors(keys, &next, case);
        self.check_predecessors(keys, &before, case);
        let code = |entry: Option<(K, V)>| entry.map(|(key, value)| (key.to_code(), value));
        let entry = |entry: (&K::Code, &V)| (*entry.0, *entry.1);
        assert_eq!(code(self.dictionary.first().unwrap()), self.model.iter().next().map(entry), "{case}");
        assert_eq!(code(self.dictionary.last().unwrap()), self.model.iter().next_back().map(entry), "{case}");
    }

    pub(crate) fn check_successors(&self, keys: &[K], found: &Neighbours<K, V>, case: &str) {
        self.check_nearest(keys, found, case, |code| self.model.range(code..).next());
    }

    pub(crate) fn check_predecessors(&self, keys: &[K], found: &Neighbours<K, V>, case: &str) {
        self.check_nearest(keys, found, case, |code| self.model.range(..=code).next_back());
    }

    /// What is missing is zero, in the user's terms.
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

    /// Checks the answers for everything that the model has, and for the neighbours of its keys.
    pub(crate) fn check_all(&self, case: &str) {
        let around = |code: &K::Code| {
            let code = code.to_u64();
            [code.wrapping_sub(1), code, code.wrapping_add(1)]
        };
        let keys = self.model.keys().flat_map(around).map(K::coded);
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
    K::coded(i.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17))
}

/// Polls a future until it is done.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
            std::task::Poll::Ready(answer) => return answer,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}
