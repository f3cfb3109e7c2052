//! Backends, and a dictionary beside its model.

use gpu_lsm_baselines::{Answers, Baselines, LARGEST_KEY, PaperLsm, Ranges, Result, SortedArray};
use gpu_lsm_primitives::host::Host;
use gpu_lsm_primitives::{Array, Meter};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

pub(crate) fn host() -> Host {
    Host::new(Meter::new(None))
}

/// The best GPU; software Vulkan is one. If there is none, tests fail and are not skipped.
#[cfg(feature = "gpu")]
pub(crate) fn gpu() -> gpu_lsm_primitives::gpu::Gpu {
    let gpus = gpu_lsm_primitives::gpu::devices::list();
    let best = gpus.first().expect("the GPU tests need a Vulkan driver, for instance mesa-vulkan-drivers");
    gpu_lsm_primitives::gpu::Gpu::open(&best.device, Meter::new(None)).expect("the device opens")
}

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Both ends of the domain and of its halves.
pub(crate) const EDGES: [u32; 6] = [0, 1, LARGEST_KEY / 2, LARGEST_KEY / 2 + 1, LARGEST_KEY - 1, LARGEST_KEY];

/// Maps a number to a key, at both ends of the domain and spread over it.
pub(crate) fn spread(number: u32) -> u32 {
    match number % 4 {
        0 => number / 4,
        1 => LARGEST_KEY - number / 4,
        _ => number.wrapping_mul(0x9E37_79B1) >> 1,
    }
}

/// One operation: a key with a value, or a delete.
pub(crate) type Operation = (u32, Option<u32>);

pub(crate) fn random_operations(
    rng: &mut ChaCha8Rng,
    len: usize,
    universe: u32,
    deletes: f64,
) -> Vec<Operation> {
    let mut operation = || {
        let key = spread(rng.random_range(0..universe));
        (key, (!rng.random_bool(deletes)).then(|| rng.random()))
    };
    (0..len).map(|_| operation()).collect()
}

/// What the tests need from a dictionary that can be updated.
pub(crate) trait Dictionary<B: Baselines>: Sized {
    fn empty(backend: &B, batch_size: usize, max_batches: u32) -> Self;
    fn insert(&mut self, keys: &B::Array<u32>, values: &B::Array<u32>) -> Result<()>;
    fn delete(&mut self, keys: &B::Array<u32>) -> Result<()>;
    fn update(&mut self, keys: &B::Array<u32>, values: &B::Array<u32>, marks: &B::Array<u32>) -> Result<()>;
    fn lookup(&self, queries: &B::Array<u32>) -> Result<Answers<B, u32>>;
    fn count(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<B::Array<u32>>;
    fn range(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<Ranges<B>>;
    fn cleanup(&mut self) -> Result<()>;
    fn wait(&self) -> Result<()>;
}

macro_rules! dictionary {
    ($dictionary:ident, $empty:expr, $cleanup:expr) => {
        impl<B: Baselines> Dictionary<B> for $dictionary<B> {
            fn empty(backend: &B, batch_size: usize, max_batches: u32) -> Self {
                $empty(backend, batch_size, max_batches).unwrap()
            }
            fn insert(&mut self, keys: &B::Array<u32>, values: &B::Array<u32>) -> Result<()> {
                self.insert(keys, values)
            }
            fn delete(&mut self, keys: &B::Array<u32>) -> Result<()> {
                self.delete(keys)
            }
            fn update(
                &mut self,
                keys: &B::Array<u32>,
                values: &B::Array<u32>,
                marks: &B::Array<u32>,
            ) -> Result<()> {
                self.update(keys, values, marks)
            }
            fn lookup(&self, queries: &B::Array<u32>) -> Result<Answers<B, u32>> {
                self.lookup(queries)
            }
            fn count(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<B::Array<u32>> {
                self.count(lower, upper)
            }
            fn range(&self, lower: &B::Array<u32>, upper: &B::Array<u32>) -> Result<Ranges<B>> {
                self.range(lower, upper)
            }
            fn cleanup(&mut self) -> Result<()> {
                $cleanup(self)
            }
            fn wait(&self) -> Result<()> {
                self.wait()
            }
        }
    };
}
dictionary!(PaperLsm, PaperLsm::new, PaperLsm::cleanup);
// The paper has a cleanup for its LSM only.
dictionary!(SortedArray, |backend, _, _| SortedArray::new(backend), |_: &mut Self| Ok(()));

/// A dictionary beside a model of it.
pub(crate) struct Pair<B: Baselines, D: Dictionary<B>> {
    pub(crate) backend: B,
    pub(crate) dictionary: D,
    pub(crate) model: BTreeMap<u32, u32>,
    batch_size: usize,
}

impl<B: Baselines, D: Dictionary<B>> Pair<B, D> {
    pub(crate) fn new(backend: &B, batch_size: usize, max_batches: u32) -> Self {
        let dictionary = D::empty(backend, batch_size, max_batches);
        Self { backend: backend.clone(), dictionary, model: BTreeMap::new(), batch_size }
    }

    pub(crate) fn upload(&self, elements: &[u32]) -> B::Array<u32> {
        self.backend.upload(elements).unwrap()
    }

    pub(crate) fn insert(&mut self, keys: &[u32], values: &[u32]) {
        for (keys, values) in keys.chunks(self.batch_size).zip(values.chunks(self.batch_size)) {
            self.dictionary.insert(&self.upload(keys), &self.upload(values)).unwrap();
        }
        self.model.extend(keys.iter().copied().zip(values.iter().copied()));
    }

    pub(crate) fn delete(&mut self, keys: &[u32]) {
        for keys in keys.chunks(self.batch_size) {
            self.dictionary.delete(&self.upload(keys)).unwrap();
        }
        self.model.retain(|key, _| !keys.contains(key));
    }

    /// Applies mixed batches. If a batch inserts and deletes a key, the key is deleted; otherwise the last insert wins.
    pub(crate) fn update(&mut self, operations: &[Operation]) {
        for batch in operations.chunks(self.batch_size) {
            let keys: Vec<u32> = batch.iter().map(|operation| operation.0).collect();
            let values: Vec<u32> = batch.iter().map(|operation| operation.1.unwrap_or(7)).collect();
            let mut marks = vec![0u32; batch.len().div_ceil(32)];
            for (i, operation) in batch.iter().enumerate() {
                marks[i / 32] |= u32::from(operation.1.is_none()) << (i % 32);
            }
            let columns = (self.upload(&keys), self.upload(&values), self.upload(&marks));
            self.dictionary.update(&columns.0, &columns.1, &columns.2).unwrap();
            let (inserts, deletes): (Vec<_>, Vec<_>) = batch.iter().partition(|o| o.1.is_some());
            for (key, value) in inserts.into_iter().chain(deletes) {
                match value {
                    Some(value) => self.model.insert(key, value),
                    None => self.model.remove(&key),
                };
            }
        }
    }

    /// Compares the answers for `keys` with the model's.
    pub(crate) fn check(&self, keys: &[u32], case: &str) {
        let answers = self.dictionary.lookup(&self.upload(keys)).unwrap();
        let expected = keys.iter().map(|key| self.model.get(key).copied());
        assert!(answers_of(&self.backend, &answers).into_iter().eq(expected), "{case}: lookups");
    }

    /// Compares the counts and the entries of intervals with the model's.
    pub(crate) fn check_intervals(&self, intervals: &[(u32, u32)], case: &str) {
        let (lower, upper): (Vec<u32>, Vec<u32>) = intervals.iter().copied().unzip();
        let (lower, upper) = (self.upload(&lower), self.upload(&upper));
        let mut expected = (vec![0u32], Vec::new(), Vec::new());
        for &(lower, upper) in intervals.iter() {
            if lower <= upper {
                let entries = self.model.range(lower..=upper);
                let (keys, values): (Vec<u32>, Vec<u32>) = entries.unzip();
                expected.1.extend(keys);
                expected.2.extend(values);
            }
            expected.0.push(expected.1.len() as u32);
        }
        let lens: Vec<u32> = expected.0.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let counts = self.dictionary.count(&lower, &upper).unwrap();
        assert!(self.backend.download(&counts, counts.len()).unwrap() == lens, "{case}: counts");
        let ranges = self.dictionary.range(&lower, &upper).unwrap();
        assert!(entries_of(&self.backend, &ranges) == expected, "{case}: ranges");
    }

    /// Compares every live key, the edges, and the whole domain.
    pub(crate) fn check_all(&self, case: &str) {
        let keys: Vec<u32> = self.model.keys().copied().chain(EDGES).collect();
        self.check(&keys, case);
        self.check_intervals(&[(0, LARGEST_KEY), (1, 0), (0, 0), (LARGEST_KEY, u32::MAX)], case);
    }
}

/// Each query's value, if it has one. A missing value must be zero.
pub(crate) fn answers_of<B: Baselines>(backend: &B, answers: &Answers<B, u32>) -> Vec<Option<u32>> {
    let found = backend.download(&answers.found, answers.found.len()).unwrap();
    let values = backend.download(&answers.values, found.len()).unwrap();
    let answer = |(found, value)| match found {
        0 => {
            assert_eq!(value, 0, "what is missing is zero");
            None
        }
        _ => Some(value),
    };
    found.into_iter().zip(values).map(answer).collect()
}

/// Offsets, keys and values.
pub(crate) fn entries_of<B: Baselines>(backend: &B, ranges: &Ranges<B>) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let offsets = backend.download(&ranges.offsets, ranges.offsets.len()).unwrap();
    let len = offsets[offsets.len() - 1] as usize;
    let keys = backend.download(&ranges.keys, len).unwrap();
    (offsets, keys, backend.download(&ranges.values, len).unwrap())
}
