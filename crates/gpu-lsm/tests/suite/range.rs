//! count and range: inclusive bounds, ascending keys, any mix of long and short intervals, pages, pieces.

use crate::on_every_device;
use crate::support::{Pair, TestKey, TestValue, random_operations, rng, spread, wide};
use gpu_lsm::{Config, Device, Dictionary, Error};
use rand::RngExt;

on_every_device!(
    rule_7_bounds_are_inclusive_and_turned_ones_empty,
    rule_7_keys_ascend_and_offsets_say_whose_they_are,
    one_query_over_three_million_entries_beside_100_000_short_ones,
    pages_put_together_are_the_whole,
    a_limit_keeps_the_first_of_each_query,
    ranges_are_deleted_as_one_batch,
    counts_and_ranges_of_nothing,
    counts_that_add_up_to_more_than_32_bits,
);

#[cfg(feature = "gpu")]
mod pieces;

fn rule_7_bounds_are_inclusive_and_turned_ones_empty(device: &Device) {
    edges::<u32, u32>(device);
    wide(device, || edges::<u64, [u32; 4]>(device));
    edges::<u32, ()>(device);
}

/// All pairs of edges as bounds, on a dictionary of several levels with deletes.
fn edges<K: TestKey, V: TestValue>(device: &Device) {
    let mut pair = Pair::<K, V>::new(device, 4);
    for (i, key) in K::edges().into_iter().enumerate() {
        pair.apply(&[(key, Some(V::from_number(i as u64))), (spread(i as u64), Some(V::from_number(7)))]);
        pair.check_intervals(&all_pairs(&K::edges()), "inserting edges");
    }
    for key in K::edges().into_iter().rev() {
        pair.apply(&[(key, None)]);
        pair.check_intervals(&all_pairs(&K::edges()), "deleting edges");
    }
}

fn all_pairs<K: Copy>(keys: &[K]) -> Vec<(K, K)> {
    keys.iter().flat_map(|&lower| keys.iter().map(move |&upper| (lower, upper))).collect()
}

fn rule_7_keys_ascend_and_offsets_say_whose_they_are(device: &Device) {
    wide(device, || {
        let mut pair = Pair::<u64, f64>::new(device, 256);
        let mut rng = rng(7);
        for step in 0..15 {
            let len = rng.random_range(0..1500);
            pair.apply(&random_operations(&mut rng, len, 4000, 0.4));
            let intervals: Vec<(u64, u64)> = (0..300)
                .map(|_| (spread(rng.random_range(0..4000)), spread(rng.random_range(0..4000))))
                .collect();
            pair.check_intervals(&intervals, &format!("step {step}"));
        }
        pair.dictionary.cleanup().unwrap();
        pair.check_intervals(&[(0, u64::MAX), (5, 4), (0, 0)], "one level");
    });
}

/// The paper's worst case for one thread per query.
fn one_query_over_three_million_entries_beside_100_000_short_ones(device: &Device) {
    const N: u32 = 3_000_000;
    let config = Config::new().with_batch_size(1 << 18);
    let keys: Vec<u32> = (0..N).map(|i| 3 * i).collect();
    let mut dictionary = Dictionary::<u32, u32>::build(device, config, &keys, &keys).unwrap();
    // Tombstones for every tenth key of the last million, and new values for the first 100,000.
    let deleted: Vec<u32> = keys[2_000_000..].iter().copied().step_by(10).collect();
    dictionary.update(&keys[..100_000], &vec![7; 100_000], &deleted).unwrap();
    assert!(dictionary.statistics().levels.len() > 1);

    let mut intervals: Vec<(u32, u32)> = (0..100_000).map(|i| (29 * i, 29 * i + 3 * (i % 11))).collect();
    intervals.insert(50_000, (0, u32::MAX));
    let (lower, upper): (Vec<u32>, Vec<u32>) = intervals.iter().copied().unzip();
    let counts = dictionary.count(&lower, &upper).unwrap();
    let ranges = dictionary.range(&lower, &upper).unwrap();
    let is_deleted = |key: u32| key >= 6_000_000 && (key - 6_000_000).is_multiple_of(30);
    for (i, &(lower, upper)) in intervals.iter().enumerate() {
        let expected =
            (lower.div_ceil(3)..=(upper / 3).min(N - 1)).map(|i| 3 * i).filter(|&k| !is_deleted(k));
        let (keys, values) = ranges.get(i);
        assert!(keys.iter().copied().eq(expected), "query {i}");
        assert!(keys.iter().zip(values).all(|(&key, &value)| value == if key < 300_000 { 7 } else { key }));
        assert_eq!(counts[i], keys.len() as u64, "query {i}");
    }
}

fn pages_put_together_are_the_whole(device: &Device) {
    let mut pair = Pair::<u32, u32>::new(device, 64);
    for step in 0..6 {
        pair.apply(&random_operations(&mut rng(step), 300, 1000, 0.3));
    }
    let whole = pair.dictionary.range(&[0], &[u32::MAX]).unwrap();
    let mut pages = pair.dictionary.range_first(&[0], &[u32::MAX], 17).unwrap();
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    while let Some(&last) = pages.keys().last() {
        assert!(pages.keys().len() <= 17);
        keys.extend_from_slice(pages.keys());
        values.extend_from_slice(pages.values());
        pages = pair.dictionary.range_after(&[last], &[u32::MAX], 17).unwrap();
    }
    assert_eq!((&keys[..], &values[..]), whole.get(0));
}

fn a_limit_keeps_the_first_of_each_query(device: &Device) {
    wide(device, || {
        let mut pair = Pair::<u64, u32>::new(device, 64);
        for step in 0..6 {
            pair.apply(&random_operations(&mut rng(step), 300, 1000, 0.3));
        }
        let lower: Vec<u64> = (0..200).map(spread).collect();
        let upper: Vec<u64> = (200..400).map(spread).collect();
        let whole = pair.dictionary.range(&lower, &upper).unwrap();
        for limit in [0, 1, 5, 1000] {
            let some = pair.dictionary.range_first(&lower, &upper, limit).unwrap();
            assert_eq!(some.len(), 200);
            for ((keys, values), (all_keys, all_values)) in some.iter().zip(whole.iter()) {
                let kept = all_keys.len().min(limit as usize);
                assert_eq!((keys, values), (&all_keys[..kept], &all_values[..kept]));
            }
        }
    });
}

fn ranges_are_deleted_as_one_batch(device: &Device) {
    let mut pair = Pair::<u32, u32>::new(device, 64);
    for step in 0..5 {
        pair.apply(&random_operations(&mut rng(step), 400, 2000, 0.2));
    }
    // Overlapping, reversed, empty and single-key intervals.
    let lower = [100, 50, 900_000_000, 7, u32::MAX, 3_000_000_000];
    let upper = [500_000_000, 400_000_000, 800_000_000, 7, u32::MAX, 3_500_000_000];
    pair.dictionary.delete_range(&lower, &upper).unwrap();
    pair.model.retain(|key, _| !lower.iter().zip(&upper).any(|(l, u)| (l..=u).contains(&key)));
    pair.check_all("after deleting ranges");
    pair.check_intervals(&[(0, u32::MAX), (50, 500_000_000)], "after deleting ranges");
    pair.dictionary.delete_range(&[0], &[u32::MAX]).unwrap();
    assert!(pair.dictionary.is_empty().unwrap());
    assert_eq!(pair.dictionary.statistics().entries, 0);
}

/// With one run, the bounds are the counts, so it does not matter that their sum exceeds 32 bits.
fn counts_that_add_up_to_more_than_32_bits(device: &Device) {
    let keys: Vec<u32> = (0..40_000).collect();
    let dictionary = Dictionary::build(device, Config::new(), &keys, &vec![(); keys.len()]).unwrap();
    let lower: Vec<u32> = (0..1 << 17).map(|i| i % 100).collect();
    let counts = dictionary.count(&lower, &vec![u32::MAX; lower.len()]).unwrap();
    assert!(counts.iter().sum::<u64>() > u64::from(u32::MAX));
    assert!(counts.iter().zip(&lower).all(|(&count, &lower)| count == u64::from(40_000 - lower)));
}

fn counts_and_ranges_of_nothing(device: &Device) {
    let mut dictionary = Dictionary::<u32, u32>::new(device).unwrap();
    assert_eq!(dictionary.count(&[0, 5], &[9, 4]).unwrap(), [0, 0]);
    assert_eq!(dictionary.range(&[0, 5], &[9, 4]).unwrap().offsets(), [0, 0, 0]);
    assert!(dictionary.range(&[], &[]).unwrap().is_empty());
    assert_eq!(dictionary.len().unwrap(), 0);
    dictionary.delete_range(&[0], &[9]).unwrap();
    assert_eq!(dictionary.count(&[1], &[]).unwrap_err(), Error::UnequalBounds { lower: 1, upper: 0 });
    let error = dictionary.delete_range(&[1], &[2, 3]).unwrap_err();
    assert_eq!(error, Error::UnequalBounds { lower: 1, upper: 2 });
}
