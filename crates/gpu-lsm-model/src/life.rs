//! Lives: random operations on a dictionary and on its model. The two must agree after every step.

use crate::chain::{Chain, Feed, feed_back};
use crate::keys::{Layout, TestKey, TestValue};
use crate::operations::{Operation, batch, columns, laid_out_operations, rng};
use crate::pair::{Held, Pair};
use gpu_lsm::{Device, Dictionary, Key, Morton, Result};
use gpu_lsm_primitives::tuning::HOST_TILE;
use gpu_lsm_primitives::{Code, KeyWidth, Start};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// A key type with a value type.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The name that its tests carry.
    pub name: &'static str,
    /// Whether its keys have 64 bits, which not every device supports.
    pub has_wide_keys: bool,
    pub(crate) life: fn(&Device, u64) -> u64,
}

impl Kind {
    /// Runs the life of a seed and compares every answer with the model's. Returns the number of operations.
    pub fn live(&self, device: &Device, seed: u64) -> u64 {
        (self.life)(device, seed)
    }
}

macro_rules! kinds {
    ($($name:literal: $key:ty, $value:ty;)+) => {
        &[$(Kind {
            name: $name,
            has_wide_keys: matches!(<$key as Key>::Code::WIDTH, KeyWidth::U64),
            life: live::<$key, $value>,
        }),+]
    };
}

/// Every key type, and every value width with both key widths.
pub const KINDS: &[Kind] = kinds! {
    "u32_u32": u32, u32;
    "u64_f64": u64, f64;
    "u32_nothing": u32, ();
    "u64_wide": u64, [u32; 4];
    "i32_u32": i32, u32;
    "i64_u32": i64, u32;
    "f32_u32": f32, u32;
    "f64_u32": f64, u32;
    "pair_u32": (u32, u32), u32;
    "morton_u32": Morton, u32;
    "i32_f64": i32, f64;
    "f32_wide": f32, [u32; 4];
    "morton_nothing": Morton, ();
};

/// The kind with this name.
pub fn kind(name: &str) -> &'static Kind {
    KINDS.iter().find(|kind| kind.name == name).expect("a kind of this name")
}

const STEPS: u32 = 12;
/// The steps at which a snapshot is taken and kept until the end.
const HOLDS: [u32; 3] = [1, 3, 7];

fn live<K: TestKey, V: TestValue>(device: &Device, seed: u64) -> u64 {
    let mut life = Life::<K, V>::new(device, seed);
    let done = (0..STEPS).map(|step| life.step(step)).sum();
    for held in &life.held {
        held.check_all(&life.case);
    }
    life.pair.check_all(&life.case);
    done
}

/// A pair with one random choice of sizes.
struct Life<'d, K: TestKey, V: TestValue> {
    device: &'d Device,
    rng: ChaCha8Rng,
    b: usize,
    layout: Layout,
    universe: u64,
    deletes: f64,
    /// The step with a batch so large that the host splits it among its threads. Most lives have no such step.
    large_at: u32,
    pair: Pair<K, V>,
    held: Vec<Held<K, V>>,
    case: String,
}

impl<'d, K: TestKey, V: TestValue> Life<'d, K, V> {
    fn new(device: &'d Device, seed: u64) -> Self {
        let mut rng = rng(seed);
        let b = [1, 7, 64, 256, 1000][rng.random_range(0..5)];
        let layout = Layout::ALL[rng.random_range(0..Layout::ALL.len())];
        let is_large = seed % 8 == 5;
        let large_at = if is_large { rng.random_range(0..STEPS) } else { STEPS };
        let pair = Pair::new(device, b);
        if seed.is_multiple_of(2) {
            pair.dictionary.meter().poison_memory();
        }
        Self {
            device,
            b,
            layout,
            universe: if is_large { 100_000 } else { [40, 1000, 20_000][rng.random_range(0..3)] },
            deletes: [0.05, 0.3, 0.6, 0.95][rng.random_range(0..4)],
            large_at,
            pair,
            held: Vec::new(),
            case: format!("GPU_LSM_SEED={seed}, b = {b}, {layout:?}"),
            rng,
        }
    }

    /// Applies a batch and then runs every query. Returns the number of operations in the batch.
    fn step(&mut self, step: u32) -> u64 {
        let len = self.batch_len(step);
        let keys_below = (self.layout, self.universe);
        let operations = laid_out_operations(&mut self.rng, len, keys_below, self.deletes);
        self.apply_somehow(&operations);
        let mut keys: Vec<K> = operations.iter().map(|operation| operation.0).collect();
        keys.extend((0..200).map(|_| self.random_key(20)));
        self.check_queries(&keys);
        self.check_held(step, &keys);
        self.update_once_more(&keys);
        len as u64
    }

    fn batch_len(&mut self, step: u32) -> usize {
        let b = self.b;
        if step == self.large_at {
            return self.rng.random_range(HOST_TILE + 1..=3 * HOST_TILE);
        }
        match self.rng.random_range(0..6) {
            0 => 0,
            1 => b,
            2 => self.rng.random_range(0..=b),
            3 => self.rng.random_range(b..=5 * b),
            _ => self.rng.random_range(0..=3000),
        }
    }

    /// One of this life's keys, or one of `past` keys behind them.
    fn random_key(&mut self, past: u64) -> K {
        self.layout.key(self.rng.random_range(0..self.universe + past))
    }

    fn random_intervals(&mut self, len: usize) -> (Vec<K>, Vec<K>) {
        (0..len).map(|_| (self.random_key(0), self.random_key(0))).unzip()
    }

    /// Applies the operations with a random one of the calls that can take them. Calls that take inserts and deletes
    /// separately get them in several parts.
    fn apply_somehow(&mut self, operations: &[Operation<K, V>]) {
        let dictionary = &mut self.pair.dictionary;
        let (keys, values, flags) = columns(operations);
        let result = match self.rng.random_range(0..5) {
            0 => dictionary.apply(&batch(operations)),
            1 => dictionary.apply_columns(keys, values, flags),
            2 => apply_there(dictionary, self.device, &keys, &values, &flags),
            3 => updates(operations)
                .iter()
                .try_for_each(|(keys, values, deletes)| dictionary.update(keys, values, deletes)),
            _ => updates(operations).iter().try_for_each(|(keys, values, deletes)| {
                dictionary.insert(keys, values)?;
                dictionary.delete(deletes)
            }),
        };
        result.unwrap_or_else(|error| panic!("{}: {error}", self.case));
        self.pair.tell_model(operations);
    }

    fn check_queries(&mut self, keys: &[K]) {
        let (mut lower, mut upper) = self.random_intervals(4);
        lower.push(K::MIN);
        upper.push(K::MAX);
        let (pair, case) = (&self.pair, &self.case);
        pair.check(keys, case);
        // So few entries that the count lays them out and makes no tally.
        let few: Vec<(K, K)> = keys.iter().take(3).map(|key| (*key, *key)).collect();
        pair.check_intervals(&few, case);
        pair.check_intervals(&lower.iter().copied().zip(upper.iter().copied()).collect::<Vec<_>>(), case);
        pair.check_neighbours(keys, case);
        check_pages(pair, &lower, &upper, case);
        check_on_device(pair, self.device, keys, case);
        assert_eq!(pair.dictionary.len().unwrap(), pair.model.len() as u64, "{case}: live entries");
        if self.rng.random_range(0..8) == 0 {
            self.pair.check_chunks(self.pair.dictionary.scan(700).map(Result::unwrap).collect(), &self.case);
        }
    }

    /// Checks one of the snapshots taken before, and takes a new one at some steps.
    fn check_held(&mut self, step: u32, keys: &[K]) {
        if !self.held.is_empty() {
            let held = &self.held[self.rng.random_range(0..self.held.len())];
            let case = format!("{}: a snapshot at step {step}", self.case);
            held.check(&keys[..keys.len().min(500)], &case);
            held.check_intervals(&[(K::MIN, K::MAX)], &case);
            held.check_neighbours(&K::edges(), &case);
            assert_eq!(held.dictionary.len().unwrap(), held.model.len() as u64, "{case}: live entries");
        }
        if HOLDS.contains(&step) {
            self.held.push(self.pair.held());
        }
    }

    /// Sometimes deletes ranges or runs a chain, and sometimes cleans up.
    fn update_once_more(&mut self, keys: &[K]) {
        match self.rng.random_range(0..8) {
            0 => self.delete_ranges(),
            1..=4 => self.feed_back(keys),
            _ => {}
        }
        if self.rng.random_range(0..8) == 0 {
            self.pair.dictionary.cleanup().unwrap();
            let entries = self.pair.dictionary.statistics().entries;
            assert_eq!(entries, self.pair.model.len() as u64, "{}: after a cleanup", self.case);
            self.pair.check(keys, &self.case);
        }
    }

    fn delete_ranges(&mut self) {
        let (lower, upper) = self.random_intervals(2);
        self.pair.dictionary.delete_range(&lower, &upper).unwrap();
        let bounds: Vec<_> =
            lower.iter().zip(&upper).map(|(lower, upper)| lower.to_code()..=upper.to_code()).collect();
        self.pair.model.retain(|code, _| !bounds.iter().any(|bounds| bounds.contains(code)));
        self.pair.check_all(&format!("{}: a range delete", self.case));
    }

    fn feed_back(&mut self, keys: &[K]) {
        let chain = Chain::ALL[self.rng.random_range(0..Chain::ALL.len())];
        // Short intervals, so that some keys survive; adjacent intervals, so that some overlap.
        let first = self.rng.random_range(0..self.universe);
        let ends = |past: u64| -> Vec<K> { (0..30).map(|i| self.layout.key(first + 3 * i + past)).collect() };
        let (lower, upper) = (ends(0), ends(self.rng.random_range(0..8)));
        let case = format!("{}: {chain:?}", self.case);
        let feed = Feed {
            device: self.device,
            lower: &lower,
            upper: &upper,
            limit: self.rng.random_range(0..9),
            held: self.held.first(),
            case: &case,
        };
        let found = feed_back(&mut self.pair, chain, &feed).and_then(|found| found.check(&case));
        found.unwrap_or_else(|error| panic!("{case}: {error}"));
        self.pair.check(&[keys, &lower, &upper].concat(), &case);
        self.pair.check_intervals(&[(K::MIN, K::MAX)], &case);
    }
}

/// Applies columns that are on the device.
fn apply_there<K: TestKey, V: TestValue>(
    dictionary: &mut Dictionary<K, V>,
    device: &Device,
    keys: &[K],
    values: &[V],
    flags: &[u32],
) -> Result<()> {
    dictionary.apply_columns(device.upload_keys(keys)?, device.upload(values)?, device.upload(flags)?)
}

/// Checks the first few entries of intervals, and the next few after those.
fn check_pages<K: TestKey, V: TestValue>(pair: &Pair<K, V>, lower: &[K], upper: &[K], case: &str) {
    let first = pair.dictionary.range_first(lower, upper, 5).unwrap();
    pair.check_ranges(lower, upper, &first, Some(5), case);
    let last_keys = first.iter().map(|(keys, _)| keys.last().copied());
    let (after, upper): (Vec<K>, Vec<K>) =
        last_keys.zip(upper).filter_map(|(last, upper)| Some((last?, *upper))).unzip();
    let next = pair.dictionary.range_after(&after, &upper, 7).unwrap();
    pair.check_pages(Start::After, &after, &upper, &next, Some(7), case);
}

/// Checks lookups and neighbours of keys that are on the device, with results that stay there.
fn check_on_device<K: TestKey, V: TestValue>(pair: &Pair<K, V>, device: &Device, keys: &[K], case: &str) {
    let there = device.upload_keys(keys).unwrap();
    let on_device = pair.dictionary.on_device();
    pair.check_answers(keys, &on_device.lookup(&there).unwrap().read().unwrap(), case);
    pair.check_successors(keys, &on_device.successor(&there).unwrap().read().unwrap(), case);
}

/// The operations as three updates: for each third its inserts, followed by the deletes of keys that end up deleted.
fn updates<K: TestKey, V: TestValue>(operations: &[Operation<K, V>]) -> Vec<(Vec<K>, Vec<V>, Vec<K>)> {
    let third = operations.len().div_ceil(3).max(1);
    operations
        .chunks(third)
        .map(|part| {
            let last: BTreeMap<K::Code, Option<V>> =
                part.iter().map(|&(key, value)| (key.to_code(), value)).collect();
            let inserts = part.iter().filter_map(|&(key, value)| Some((key, value?)));
            let (keys, values) = inserts.unzip();
            let deleted = last.into_iter().filter(|entry| entry.1.is_none());
            let deletes = deleted.map(|entry| K::from_code(entry.0)).collect();
            (keys, values, deletes)
        })
        .collect()
}
