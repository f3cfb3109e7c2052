//! Nothing is left half-done: every allocation, launch and read-back of a call fails once, and nothing has changed.

use crate::on_every_device;
use crate::support::{Operation, Pair, TestKey, batch, spread, wide};
use gpu_lsm::{BackendError, Config, Device, Dictionary, Error, Morton, Statistics};

on_every_device!(
    an_update_that_merges_into_the_oldest_run_fails_whole,
    an_update_that_keeps_tombstones_fails_whole,
    an_update_that_cleans_up_fails_whole,
    a_cleanup_fails_whole,
    an_update_of_inserts_and_deletes_apart_fails_whole,
    a_bulk_build_fails_whole,
    a_lookup_fails_whole,
    counts_ranges_and_neighbours_fail_whole,
    a_search_past_many_tombstones_fails_whole,
    rectangles_fail_whole,
    a_range_delete_fails_whole,
    updates_and_queries_of_buffers_fail_whole,
    inserts_of_buffers_beside_dead_stretches_fail_whole,
    a_scan_ends_with_its_error,
);

const B: usize = 32;

/// A dictionary with one run of this many batches per level, oldest first. All runs but the oldest have tombstones.
fn filled(device: &Device, runs: &[u64]) -> Pair<u32, u32> {
    let mut pair = Pair::new(device, B);
    for (age, &batches) in runs.iter().enumerate() {
        pair.apply(&operations(age as u64, batches));
    }
    let levels = pair.dictionary.statistics().levels;
    assert_eq!(levels.len(), runs.len(), "no run was merged with another: {levels:?}");
    pair
}

/// Inserts of keys that no other age has. Every fourth operation is a delete of a key of the age before.
fn operations(age: u64, batches: u64) -> Vec<Operation<u32, u32>> {
    let operation = |i| match age > 0 && i % 4 == 0 {
        true => (spread((age - 1) * 10_000 + i + 1), None),
        false => (spread(age * 10_000 + i), Some(i as u32)),
    };
    (0..batches * B as u64).map(operation).collect()
}

/// Levels 0 to 2 are occupied. The next batch merges all of them, and drops deleted entries and tombstones.
fn an_update_that_merges_into_the_oldest_run_fails_whole(device: &Device) {
    fails_whole(device, &[4, 2, 1], |pair| pair.dictionary.apply(&batch(&operations(3, 1))));
}

/// Levels 0, 1 and 3 are occupied. The next batch merges two of them, and tombstones stay.
fn an_update_that_keeps_tombstones_fails_whole(device: &Device) {
    fails_whole(device, &[8, 2, 1], |pair| pair.dictionary.apply(&batch(&operations(3, 1))));
}

/// A delete of everything, which goes to a level of its own. Then the space rule merges all runs.
fn an_update_that_cleans_up_fails_whole(device: &Device) {
    let keys: Vec<u32> = operations(0, 16).iter().map(|operation| operation.0).collect();
    let keys = &keys[..15 * B];
    let mut pair = filled(device, &[16]);
    pair.dictionary.delete(keys).unwrap();
    let levels = pair.dictionary.statistics().levels;
    assert!(levels.len() == 1 && levels[0].entries == B as u64, "the case is one of cleaning up: {levels:?}");
    fails_whole(device, &[16], |pair| pair.dictionary.delete(keys));
}

fn a_cleanup_fails_whole(device: &Device) {
    fails_whole(device, &[8, 2, 1], |pair| pair.dictionary.cleanup());
}

/// The keys of both lists are concatenated on the device, which can fail too.
fn an_update_of_inserts_and_deletes_apart_fails_whole(device: &Device) {
    let keys: Vec<u32> = (0..100).map(|i| spread(5000 + i)).collect();
    fails_whole(device, &[2, 1], |pair| pair.dictionary.update(&keys[50..], &keys[50..], &keys[..70]));
}

/// For every k: the call fails with a typed error, nothing has changed, and the next update succeeds.
fn fails_whole(device: &Device, runs: &[u64], call: impl Fn(&mut Pair<u32, u32>) -> Result<(), Error>) {
    let before = tallied(&filled(device, runs));
    for k in 1.. {
        let mut pair = filled(device, runs);
        pair.dictionary.meter().fuse().fail_at(k);
        let result = call(&mut pair);
        if pair.dictionary.meter().fuse().is_armed() {
            result.expect("no call failed");
            assert!(k > 5, "the hook was never reached");
            return;
        }
        assert_injected(&result.expect_err("a failure is reported"), k);
        let after = tallied(&pair);
        assert_eq!(after.levels, before.levels, "call {k}");
        assert_eq!(after.bytes_in_use, before.bytes_in_use, "call {k} leaks nothing");
        pair.check_all(&format!("after call {k} failed"));
        pair.apply(&operations(5, 1));
        pair.check_all(&format!("an update after call {k} failed"));
    }
}

/// The statistics once all levels are tallied: a failed call may have made some of the tallies.
fn tallied(pair: &Pair<u32, u32>) -> Statistics {
    pair.dictionary.len().unwrap();
    pair.dictionary.statistics()
}

fn assert_injected(error: &Error, k: u64) {
    let is_injected = match error {
        Error::Backend(BackendError::OutOfMemory { .. }) => true,
        Error::Backend(BackendError::Failed { message }) => message.contains("injected"),
        _ => false,
    };
    assert!(is_injected, "call {k}: {error}");
}

/// A build is an update of an empty dictionary. If it fails, the dictionary is still empty and usable.
fn a_bulk_build_fails_whole(device: &Device) {
    let keys: Vec<u32> = (0..10_000).map(spread).collect();
    for k in 1.. {
        let mut dictionary =
            Dictionary::<u32, u32>::with_config(device, Config::new().with_batch_size(B)).unwrap();
        dictionary.meter().fuse().fail_at(k);
        let result = dictionary.insert(&keys, &keys);
        if dictionary.meter().fuse().is_armed() {
            dictionary.meter().fuse().fail_at(0);
            result.expect("no call failed");
            assert_eq!(dictionary.lookup(&keys).unwrap().values(), keys);
            assert!(k > 5, "the hook was never reached");
            return;
        }
        assert_injected(&result.expect_err("a failure is reported"), k);
        assert_eq!(dictionary.statistics().entries, 0);
        assert_eq!(dictionary.statistics().bytes_in_use, 0, "call {k} leaks nothing");
        dictionary.insert(&keys[..100], &keys[..100]).unwrap();
        assert_eq!(dictionary.lookup(&keys[..100]).unwrap().values(), &keys[..100]);
    }
}

fn a_lookup_fails_whole(device: &Device) {
    let keys: Vec<u32> = (0..500).map(spread).collect();
    query_fails_whole(device, |pair| pair.dictionary.lookup(&keys).map(drop));
}

fn counts_ranges_and_neighbours_fail_whole(device: &Device) {
    let lower: Vec<u32> = (0..20).map(spread).collect();
    let upper = vec![u32::MAX; 20];
    query_fails_whole(device, |pair| pair.dictionary.count(&lower, &upper).map(drop));
    query_fails_whole(device, |pair| pair.dictionary.range_first(&lower, &upper, 5).map(drop));
    query_fails_whole(device, |pair| pair.dictionary.successor(&lower).map(drop));
    query_fails_whole(device, |pair| pair.dictionary.predecessor(&lower).map(drop));
}

/// A stretch of tombstones longer than the first windows, so that the search needs longer ones.
fn a_search_past_many_tombstones_fails_whole(device: &Device) {
    let filled = || {
        let mut pair = Pair::<u32, u32>::new(device, B);
        pair.apply(&(0..4 * B as u32).map(|i| (i, Some(i))).collect::<Vec<_>>());
        pair.apply(&(10..40).map(|i| (i, None)).collect::<Vec<_>>());
        pair
    };
    every_failure_is_told(filled, |pair| pair.dictionary.successor(&[12]).map(drop));
    assert_eq!(filled().dictionary.successor(&[12]).unwrap().keys(), [40]);
}

fn rectangles_fail_whole(device: &Device) {
    wide(device, || {
        let point = |i: u32| Morton { x: i % 16, y: i / 16 };
        let filled = || {
            let mut pair = Pair::<Morton, u32>::new(device, B);
            pair.apply(&(0..4 * B as u32).map(|i| (point(i), Some(i))).collect::<Vec<_>>());
            pair.apply(&(10..20).map(|i| (point(i), None)).collect::<Vec<_>>());
            pair
        };
        let (lower, upper) = ([point(3), point(40)], [point(100), point(90)]);
        every_failure_is_told(filled, |pair| pair.dictionary.rectangles(&lower, &upper).map(drop));
        let there = (device.upload_keys(&lower).unwrap(), device.upload_keys(&upper).unwrap());
        let on_device =
            |pair: &Pair<Morton, u32>| pair.dictionary.on_device().rectangles(&there.0, &there.1).map(drop);
        every_failure_is_told(filled, on_device);
    });
}

fn a_range_delete_fails_whole(device: &Device) {
    fails_whole(device, &[2, 1], |pair| pair.dictionary.delete_range(&[0], &[u32::MAX / 2]));
}

/// Keys that are recoded on the device in both directions, and results that stay there.
fn updates_and_queries_of_buffers_fail_whole(device: &Device) {
    let numbers: Vec<i64> = (0..100).map(|i| i * 7 - 300).collect();
    let keys = device.upload(&numbers).unwrap();
    let values = device.upload(&(0..100).collect::<Vec<u32>>()).unwrap();
    let gone = device.upload(&numbers[..30]).unwrap();
    let filled = || {
        let config = Config::new().with_batch_size(B);
        let mut dictionary = Dictionary::<i64, u32>::with_config(device, config).unwrap();
        dictionary.insert(&keys, &values).unwrap();
        dictionary.update(&numbers[..20], &[7; 20], &[6]).unwrap();
        dictionary
    };
    fails_whole_i64(filled, |dictionary| dictionary.update(&gone, &device.upload(&[9u32; 30])?, &keys));
    let flags = device.upload(&(0..100).map(|i| i % 3).collect::<Vec<u32>>()).unwrap();
    fails_whole_i64(filled, |dictionary| dictionary.apply_columns(&keys, &values, &flags));
    fails_whole_i64(filled, |dictionary| dictionary.delete_range(&gone, &gone));
    fails_whole_i64(filled, |dictionary| dictionary.on_device().lookup(&keys).map(drop));
    fails_whole_i64(filled, |dictionary| dictionary.on_device().range_first(&gone, &gone, 3).map(drop));
    fails_whole_i64(filled, |dictionary| dictionary.on_device().predecessor(&keys)?.read().map(drop));
}

/// The smallest and the largest key of the batch are read back, and tell which dead stretches stay remembered.
fn inserts_of_buffers_beside_dead_stretches_fail_whole(device: &Device) {
    let numbers: Vec<i64> = (0..100).map(|i| i * 7 - 300).collect();
    let keys = device.upload(&numbers).unwrap();
    let values = device.upload(&(0..100).collect::<Vec<u32>>()).unwrap();
    let filled = || {
        let config = Config::new().with_batch_size(B);
        let mut dictionary = Dictionary::<i64, u32>::with_config(device, config).unwrap();
        dictionary.insert(&keys, &values).unwrap();
        dictionary.delete_range(&[-300, 0, 300], &[-200, 100, 390]).unwrap();
        dictionary
    };
    let insert = |dictionary: &mut Dictionary<i64, u32>| {
        dictionary.insert(&keys.slice(45..50)?, &values.slice(45..50)?)
    };
    // Five keys of the second of three stretches.
    fails_whole_i64(filled, insert);
}

/// For every k: the call fails with a typed error, nothing has changed, and the same call succeeds then.
fn fails_whole_i64(
    filled: impl Fn() -> Dictionary<i64, u32>,
    call: impl Fn(&mut Dictionary<i64, u32>) -> Result<(), Error>,
) {
    let content = |dictionary: &Dictionary<i64, u32>| {
        let neighbours = dictionary.successor(&[i64::MIN, 0, 300]).unwrap();
        (dictionary.range(&[i64::MIN], &[i64::MAX]).unwrap(), neighbours)
    };
    let mut dictionary = filled();
    call(&mut dictionary).unwrap();
    let done = content(&dictionary);
    for k in 1.. {
        let mut dictionary = filled();
        let before = content(&dictionary);
        let bytes = dictionary.statistics().bytes_in_use;
        dictionary.meter().fuse().fail_at(k);
        let result = call(&mut dictionary);
        if dictionary.meter().fuse().is_armed() {
            result.expect("no call failed");
            assert!(k > 3, "the hook was never reached");
            return;
        }
        assert_injected(&result.expect_err("a failure is reported"), k);
        assert_eq!(content(&dictionary), before, "call {k}");
        assert_eq!(dictionary.statistics().bytes_in_use, bytes, "call {k} leaks nothing");
        dictionary.verify().unwrap();
        call(&mut dictionary).unwrap();
        assert_eq!(content(&dictionary), done, "call {k}, once more");
    }
}

/// A failed chunk is an error, and nothing follows it.
fn a_scan_ends_with_its_error(device: &Device) {
    let pair = filled(device, &[4, 2, 1]);
    let mut scan = pair.dictionary.scan(10);
    assert_eq!(scan.next().expect("a chunk").unwrap().0.len(), 10);
    pair.dictionary.meter().fuse().fail_at(3);
    let error = scan.find_map(Result::err).expect("a chunk that fails");
    assert_injected(&error, 3);
    assert!(scan.next().is_none());
}

fn query_fails_whole(device: &Device, query: impl Fn(&Pair<u32, u32>) -> Result<(), Error>) {
    every_failure_is_told(|| filled(device, &[4, 2, 1]), query);
}

/// For every k: the query fails with a typed error, and nothing has changed.
fn every_failure_is_told<K: TestKey>(
    filled: impl Fn() -> Pair<K, u32>,
    query: impl Fn(&Pair<K, u32>) -> Result<(), Error>,
) {
    for k in 1.. {
        let pair = filled();
        pair.dictionary.meter().fuse().fail_at(k);
        let result = query(&pair);
        if pair.dictionary.meter().fuse().is_armed() {
            result.expect("no call failed");
            assert!(k > 3, "the hook was never reached");
            return;
        }
        assert_injected(&result.expect_err("a failure is reported"), k);
        pair.check_all("after a failed query");
    }
}

/// Rule 9's last sentence: the call in which the device is lost returns its error, and so does every later call.
#[cfg(feature = "gpu")]
#[test]
fn a_lost_gpu_is_an_error_of_every_later_call() {
    for k in [1, 2, 10, 20] {
        let device = crate::support::gpu();
        let mut pair = filled(&device, &[4, 2, 1]);
        let mut empty = Dictionary::<u32, u32>::new(&device).unwrap();
        pair.dictionary.meter().fuse().lose_device_at(k);
        let is_lost = |result: Result<(), Error>| {
            let error = result.expect_err("the device is lost");
            assert!(matches!(error, Error::Backend(BackendError::DeviceLost { .. })), "{error}");
        };
        is_lost(pair.dictionary.apply(&batch(&operations(8, 1))));
        is_lost(pair.dictionary.apply(&batch(&operations(9, 1))));
        is_lost(pair.dictionary.lookup(&[1]).map(drop));
        is_lost(pair.dictionary.count(&[0], &[9]).map(drop));
        is_lost(pair.dictionary.successor(&[0]).map(drop));
        is_lost(pair.dictionary.scan(5).find_map(Result::err).map_or(Ok(()), Err));
        is_lost(pair.dictionary.delete_range(&[0], &[9]));
        is_lost(pair.dictionary.cleanup());
        is_lost(pair.dictionary.verify());
        assert_eq!(pair.dictionary.statistics().engine_bytes, None);
        // Other dictionaries on the device do so too, even if a call has nothing to do.
        is_lost(empty.insert(&[], &[]));
        is_lost(empty.lookup(&[]).map(drop));
        is_lost(empty.cleanup());
        is_lost(empty.len().map(drop));
        is_lost(empty.verify());
        is_lost(Dictionary::<u32, u32>::new(&device).map(drop));
    }
}
