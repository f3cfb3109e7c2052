//! Space: after every batch there are at most 2.5 live + 4 b entries, and bytes in proportion.

use crate::on_every_device;
use crate::support::{TestKey, TestValue, spread, wide};
use gpu_lsm::{Config, Device, Dictionary, Value};
use std::collections::BTreeSet;

on_every_device!(
    overwrites_of_16_b_keys,
    overwrites_of_16_b_and_one_keys,
    a_sliding_window_of_65_b,
    a_window_that_shrinks_from_128_b_to_16_b,
    a_delete_of_everything,
    a_32_bit_key_with_its_value_takes_9_bytes,
    bytes_for_is_never_exceeded,
    what_bytes_for_expects_is_1_to_1_5_times_what_distinct_keys_use,
);

const B: u64 = 1 << 10;

/// A dictionary with its live keys. Checks the bounds after each batch.
struct Bounded {
    dictionary: Dictionary<u32, u32>,
    live: BTreeSet<u64>,
}

impl Bounded {
    fn new(device: &Device) -> Self {
        let config = Config::new().with_batch_size(B as usize);
        Self { dictionary: Dictionary::with_config(device, config).unwrap(), live: BTreeSet::new() }
    }

    /// Inserts and deletes keys. No key is in both lists.
    fn update(&mut self, inserts: &[u64], deletes: &[u64]) {
        let keys = |keys: &[u64]| keys.iter().map(|&key| spread(key)).collect::<Vec<u32>>();
        let inserted = keys(inserts);
        self.dictionary.update(&inserted, &inserted, &keys(deletes)).unwrap();
        self.live.extend(inserts);
        for key in deletes {
            self.live.remove(key);
        }
        self.check();
    }

    fn check(&self) {
        let statistics = self.dictionary.statistics();
        let (entries, live) = (statistics.entries, self.live.len() as u64);
        assert!(2 * entries <= 5 * live + 8 * B, "{entries} entries for {live} live");
        // 8 bytes of key and value, an eighth of a byte for the mark, slack of one part in eight, and some bytes per
        // level.
        let most = entries * 65 / 8 * 8 / 7 + 64 * statistics.levels.len() as u64;
        assert!(statistics.bytes <= most, "{} bytes for {entries} entries", statistics.bytes);
        assert_eq!(statistics.bytes_in_use, statistics.bytes, "nothing but runs is kept");
    }

    fn report(&self, what: &str) {
        let statistics = self.dictionary.statistics();
        println!(
            "{what}: {} live, {} entries, {} bytes of runs, peak {}, engine's pool {:?}",
            self.live.len(),
            statistics.entries,
            statistics.bytes,
            statistics.peak_bytes,
            statistics.engine_bytes
        );
    }
}

fn overwrites(device: &Device, keys: u64) {
    let mut bounded = Bounded::new(device);
    for r in 0..100 {
        let batch: Vec<u64> = (0..B).map(|i| (r * B + i) % keys).collect();
        bounded.update(&batch, &[]);
    }
    assert_eq!(bounded.live.len() as u64, keys);
    bounded.report("overwrites");
}

fn overwrites_of_16_b_keys(device: &Device) {
    overwrites(device, 16 * B);
}

fn overwrites_of_16_b_and_one_keys(device: &Device) {
    overwrites(device, 16 * B + 1);
}

/// The keys of batch `r`.
fn batch(r: u64) -> Vec<u64> {
    (r * B..(r + 1) * B).collect()
}

fn a_sliding_window_of_65_b(device: &Device) {
    let mut bounded = Bounded::new(device);
    for r in 0..200 {
        let deletes = if r < 65 { vec![] } else { batch(r - 65) };
        bounded.update(&batch(r), &deletes);
    }
    assert_eq!(bounded.live.len() as u64, 65 * B);
    bounded.report("a sliding window");
}

fn a_window_that_shrinks_from_128_b_to_16_b(device: &Device) {
    let mut bounded = Bounded::new(device);
    for r in 0..128 {
        bounded.update(&batch(r), &[]);
    }
    for r in 0..112 {
        bounded.update(&[], &batch(r));
    }
    assert_eq!(bounded.live.len() as u64, 16 * B);
    bounded.report("a shrinking window");
}

fn a_delete_of_everything(device: &Device) {
    let mut bounded = Bounded::new(device);
    for r in 0..40 {
        bounded.update(&batch(r), &[]);
    }
    bounded.update(&[], &(0..40 * B).collect::<Vec<_>>());
    assert_eq!(bounded.dictionary.statistics().entries, 0, "nothing is left");
    bounded.report("a delete of everything");
}

/// Four for each, and one for the index. README says so.
fn a_32_bit_key_with_its_value_takes_9_bytes(device: &Device) {
    let keys: Vec<u32> = (0..1 << 20).map(spread).collect();
    let dictionary = Dictionary::build(device, Config::new(), &keys, &keys).unwrap();
    let each = dictionary.statistics().bytes as f64 / keys.len() as f64;
    println!("{each} bytes for an entry");
    assert!((each - 9.0).abs() < 0.01, "{each}");
}

/// The result of `bytes_for` is enough, between calls and at the peak, for builds, for small batches and for
/// overwrites; and it is not many times too much.
fn bytes_for_is_never_exceeded(device: &Device) {
    let keys: Vec<u32> = (0..64 * B).map(spread).collect();
    bytes_for_are_enough::<u32>(device, &keys, &keys);
    bytes_for_are_enough::<()>(device, &keys, &vec![(); keys.len()]);
}

fn bytes_for_are_enough<V: Value>(device: &Device, keys: &[u32], values: &[V]) {
    let config = Config::new().with_batch_size(B as usize);
    let bound = Dictionary::<u32, V>::bytes_for(keys.len() as u64, keys.len() as u64, &config).most;
    let mut peak = 0;
    let mut check = |dictionary: &Dictionary<u32, V>| {
        let statistics = dictionary.statistics();
        assert!(statistics.bytes <= bound.resident, "{} of {}", statistics.bytes, bound.resident);
        assert!(statistics.peak_bytes <= bound.peak, "{} of {}", statistics.peak_bytes, bound.peak);
        peak = peak.max(statistics.peak_bytes);
    };
    let mut dictionary = Dictionary::build(device, config, keys, values).unwrap();
    check(&dictionary);
    dictionary.insert(keys, values).unwrap();
    check(&dictionary);
    for batch in keys.chunks(B as usize) {
        dictionary.update(batch, &values[..batch.len()], &batch[..10]).unwrap();
        dictionary.len().unwrap();
        check(&dictionary);
    }
    dictionary.delete(keys).unwrap();
    check(&dictionary);
    dictionary.cleanup().unwrap();
    check(&dictionary);
    println!("measured peak {peak} of at most {}", bound.peak);
    assert!(peak * 8 > bound.peak, "the bound of {} is far above {peak}", bound.peak);
}

/// Distinct keys, in batches smaller and larger than `b`, with and without the tallies that counting makes.
fn what_bytes_for_expects_is_1_to_1_5_times_what_distinct_keys_use(device: &Device) {
    for n in [10_000, 100_000] {
        for b in [64, 1000, 1 << 16] {
            for batch in [n / 100, n / 3, n] {
                expects_what_is_used::<u32, u32>(device, n, b, batch);
                expects_what_is_used::<u32, ()>(device, n, b, batch);
                wide(device, || expects_what_is_used::<u64, [u32; 4]>(device, n, b, batch));
            }
        }
    }
}

fn expects_what_is_used<K: TestKey, V: TestValue>(device: &Device, n: usize, b: usize, batch: usize) {
    let config = Config::new().with_batch_size(b);
    let expected = Dictionary::<K, V>::bytes_for(n as u64, batch as u64, &config).expected;
    let keys: Vec<K> = (0..n as u64).map(spread).collect();
    let values: Vec<V> = (0..n as u64).map(V::from_number).collect();
    let mut dictionary = Dictionary::<K, V>::with_config(device, config).unwrap();
    for (keys, values) in keys.chunks(batch).zip(values.chunks(batch)) {
        dictionary.insert(keys, values).unwrap();
    }
    let used = dictionary.statistics();
    let case = format!("n = {n}, b = {b}, batches of {batch}, {} + {} bytes", size_of::<K>(), size_of::<V>());
    let is_near = |expected: u64, used: u64| used <= expected && 2 * expected <= 3 * used;
    assert!(is_near(expected.resident, used.bytes), "{case}: {} for {}", expected.resident, used.bytes);
    assert!(
        is_near(expected.peak, used.peak_bytes),
        "{case}: peak {} for {}",
        expected.peak,
        used.peak_bytes
    );
}
