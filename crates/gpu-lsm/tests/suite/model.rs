//! Random operations on a dictionary and on a `BTreeMap`, which must agree after every step.
//!
//! A failure names its seed; `GPU_LSM_SEED=n` runs that seed alone. `GPU_LSM_MODEL_OPERATIONS` sets how many operations
//! the main test applies to the GPU.

use crate::on_every_device;
use crate::support::{
    Operation, Pair, TestKey, TestValue, batch, codes, random_operations, rng, spread, wide,
};
use gpu_lsm::{Device, Morton};
use rand::RngExt;
use std::collections::BTreeMap;
use std::ops::Bound;

on_every_device!(
    agrees_u32_u32,
    agrees_u64_f64,
    agrees_u32_nothing,
    agrees_u64_wide,
    agrees_i32_u32,
    agrees_i64_u32,
    agrees_f32_u32,
    agrees_f64_u32,
    agrees_pair_u32,
    agrees_morton_u32,
);

fn agrees_u32_u32(device: &Device) {
    agrees::<u32, u32>(device, 1);
}

fn agrees_u64_f64(device: &Device) {
    wide(device, || agrees::<u64, f64>(device, 4));
}

fn agrees_u32_nothing(device: &Device) {
    agrees::<u32, ()>(device, 8);
}

fn agrees_u64_wide(device: &Device) {
    wide(device, || agrees::<u64, [u32; 4]>(device, 8));
}

fn agrees_i32_u32(device: &Device) {
    agrees::<i32, u32>(device, 20);
}

fn agrees_i64_u32(device: &Device) {
    wide(device, || agrees::<i64, u32>(device, 20));
}

fn agrees_f32_u32(device: &Device) {
    agrees::<f32, u32>(device, 20);
}

fn agrees_f64_u32(device: &Device) {
    wide(device, || agrees::<f64, u32>(device, 20));
}

fn agrees_pair_u32(device: &Device) {
    wide(device, || agrees::<(u32, u32), u32>(device, 20));
}

fn agrees_morton_u32(device: &Device) {
    wide(device, || agrees::<Morton, u32>(device, 20));
}

fn agrees<K: TestKey, V: TestValue>(device: &Device, share: u64) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    if let Some(seed) = number("GPU_LSM_SEED") {
        agrees_for_seed::<K, V>(device, seed);
        return;
    }
    let on_gpu = number("GPU_LSM_MODEL_OPERATIONS").unwrap_or(100_000);
    let goal = if device.is_host() { 1_000_000 } else { on_gpu } / share;
    let (mut done, mut seed) = (0, 0);
    while done < goal {
        done += agrees_for_seed::<K, V>(device, seed);
        seed += 1;
    }
}

/// A dictionary's life with one choice of sizes; returns how many operations it took.
fn agrees_for_seed<K: TestKey, V: TestValue>(device: &Device, seed: u64) -> u64 {
    let mut rng = rng(seed);
    let b = [1, 7, 64, 256, 1000][rng.random_range(0..5)];
    let universe = [40, 1000, 20_000][rng.random_range(0..3)];
    let deletes = [0.05, 0.3, 0.6, 0.95][rng.random_range(0..4)];
    let case = format!("GPU_LSM_SEED={seed}, b = {b}");
    let mut pair = Pair::<K, V>::new(device, b);
    let mut done = 0;
    for _ in 0..12 {
        let len = match rng.random_range(0..6) {
            0 => 0,
            1 => b,
            2 => rng.random_range(0..=b),
            3 => rng.random_range(b..=5 * b),
            _ => rng.random_range(0..=3000),
        };
        let operations = random_operations(&mut rng, len, universe, deletes);
        apply_somehow(&mut pair, &operations, rng.random_range(0..3), &case);
        done += len as u64;
        let mut keys: Vec<K> = operations.iter().map(|operation| operation.0).collect();
        keys.extend((0..200).map(|_| spread::<K>(rng.random_range(0..universe + 20))));
        pair.check(&keys, &case);
        // Few entries, so that they are laid out before any level is tallied.
        let few: Vec<(K, K)> = keys.iter().take(3).map(|key| (*key, *key)).collect();
        pair.check_intervals(&few, &case);
        let intervals: Vec<(K, K)> = (0..4)
            .map(|_| (spread(rng.random_range(0..universe)), spread(rng.random_range(0..universe))))
            .chain([(K::MIN, K::MAX)])
            .collect();
        pair.check_intervals(&intervals, &case);
        pair.check_neighbours(&keys, &case);
        check_pages(&pair, &intervals, &case);
        check_on_device(&pair, device, &keys, &case);
        assert_eq!(pair.dictionary.len().unwrap(), pair.model.len() as u64, "{case}: live entries");
        match rng.random_range(0..8) {
            0 => check_scan(&pair, &case),
            1 => delete_ranges(&mut pair, &intervals[..2], &case),
            _ => {}
        }
        if rng.random_range(0..8) == 0 {
            pair.dictionary.cleanup().unwrap();
            assert_eq!(
                pair.dictionary.statistics().entries,
                pair.model.len() as u64,
                "{case}: after a cleanup"
            );
            pair.check(&keys, &case);
        }
    }
    pair.check_all(&case);
    done
}

/// The first few entries of intervals, and the few after those.
fn check_pages<K: TestKey, V: TestValue>(pair: &Pair<K, V>, intervals: &[(K, K)], case: &str) {
    let (lower, upper): (Vec<K>, Vec<K>) = intervals.iter().copied().unzip();
    let first = pair.dictionary.range_first(&lower, &upper, 5).unwrap();
    pair.check_ranges(&lower, &upper, &first, Some(5), case);
    let last_keys = first.iter().map(|(keys, _)| keys.last().copied());
    let (after, upper): (Vec<K>, Vec<K>) =
        last_keys.zip(upper).filter_map(|(last, upper)| Some((last?, upper))).unzip();
    let next = pair.dictionary.range_after(&after, &upper, 7).unwrap();
    for (i, (keys, values)) in next.iter().enumerate() {
        let following = (Bound::Excluded(after[i].to_code()), Bound::Included(upper[i].to_code()));
        let is_empty = after[i].to_code() >= upper[i].to_code();
        let expected = if is_empty { Vec::new() } else { pair.model.range(following).take(7).collect() };
        assert!(codes(keys).iter().zip(values).eq(expected), "{case}, after {:?}", after[i]);
    }
}

/// Lookups and neighbours of keys that are on the device, with their results left there.
fn check_on_device<K: TestKey, V: TestValue>(pair: &Pair<K, V>, device: &Device, keys: &[K], case: &str) {
    let there = device.upload(&K::to_natives(keys)).unwrap();
    let on_device = pair.dictionary.on_device();
    pair.check_answers(keys, &on_device.lookup(&there).unwrap().read().unwrap(), case);
    pair.check_successors(keys, &on_device.successor(&there).unwrap().read().unwrap(), case);
}

fn check_scan<K: TestKey, V: TestValue>(pair: &Pair<K, V>, case: &str) {
    let chunks = pair.dictionary.scan(700).map(Result::unwrap);
    let (keys, values): (Vec<_>, Vec<_>) = chunks.unzip();
    assert!(codes(&keys.concat()).iter().zip(&values.concat()).eq(&pair.model), "{case}: a scan");
}

fn delete_ranges<K: TestKey, V: TestValue>(pair: &mut Pair<K, V>, intervals: &[(K, K)], case: &str) {
    let (lower, upper): (Vec<K>, Vec<K>) = intervals.iter().copied().unzip();
    pair.dictionary.delete_range(&lower, &upper).unwrap();
    let is_in = |code: &K::Code| {
        intervals.iter().any(|(lower, upper)| lower.to_code() <= *code && *code <= upper.to_code())
    };
    pair.model.retain(|code, _| !is_in(code));
    pair.check_all(&format!("{case}: a range delete"));
}

/// The same operations by any of the calls that can take them; those for inserts and deletes apart take stretches.
fn apply_somehow<K: TestKey, V: TestValue>(
    pair: &mut Pair<K, V>,
    operations: &[Operation<K, V>],
    how: u32,
    case: &str,
) {
    let dictionary = &mut pair.dictionary;
    let result = match how {
        0 => dictionary.apply(&batch(operations)),
        1 => updates(operations)
            .iter()
            .try_for_each(|(keys, values, deletes)| dictionary.update(keys, values, deletes)),
        _ => updates(operations).iter().try_for_each(|(keys, values, deletes)| {
            dictionary.insert(keys, values)?;
            dictionary.delete(deletes)
        }),
    };
    result.unwrap_or_else(|error| panic!("{case}: {error}"));
    pair.tell_model(operations);
}

/// Operations as three updates: of each third the inserts, and after them the deletes of keys that end up deleted.
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
