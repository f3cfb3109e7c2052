//! The contract: a test for each rule, named after it, on every device.

use crate::on_every_device;
use crate::support::{Operation, Pair, TestKey, TestValue, batch, random_operations, rng, spread, wide};
use gpu_lsm::{BackendError, Batch, Config, Device, Dictionary, Error};
use rand::RngExt;

on_every_device!(
    rule_1_an_update_is_one_batch_of_any_size,
    rule_2_a_later_batch_wins,
    rule_3_of_several_operations_on_a_key_the_last_wins,
    rule_3_batches_can_be_joined_and_split_at_will,
    rule_4_deletes_come_after_inserts,
    rule_5_every_key_and_every_value_can_be_stored,
    rule_6_queries_see_exactly_the_batches_applied_before,
    rule_7_lookup_returns_the_value_or_nothing,
    rule_8_the_same_calls_give_the_same_bytes_as_on_the_host,
    rule_9_a_failed_call_is_a_typed_error_and_changes_nothing,
    a_dictionary_is_used_from_several_threads,
);

fn rule_1_an_update_is_one_batch_of_any_size(device: &Device) {
    let mut pair = Pair::<u32, u32>::new(device, 16);
    for (step, len) in [0, 1, 2, 15, 16, 17, 31, 32, 33, 100, 1000, 5, 0, 70_000, 1].into_iter().enumerate() {
        let operations = random_operations(&mut rng(step as u64), len, 3000, 0.3);
        pair.apply(&operations);
        pair.check_all(&format!("after a batch of {len}"));
    }
}

fn rule_2_a_later_batch_wins(device: &Device) {
    let mut dictionary =
        Dictionary::<u32, u32>::with_config(device, Config::new().with_batch_size(2)).unwrap();
    for round in 0..20 {
        let edges = u32::edges();
        dictionary.insert(&edges, &vec![round; edges.len()]).unwrap();
        assert_eq!(dictionary.lookup(&edges).unwrap().to_vec(), vec![Some(round); edges.len()]);
        if round % 3 == 0 {
            dictionary.delete(&edges[1..3]).unwrap();
            let mut expected = vec![Some(round); edges.len()];
            expected[1..3].fill(None);
            assert_eq!(dictionary.lookup(&edges).unwrap().to_vec(), expected);
        }
        dictionary.verify().unwrap();
    }
}

fn rule_3_of_several_operations_on_a_key_the_last_wins(device: &Device) {
    wide(device, || {
        let mut dictionary = Dictionary::<u64, u32>::new(device).unwrap();
        for key in u64::edges() {
            let mut batch = Batch::new();
            batch.insert(key, 1);
            batch.insert(key, 2);
            dictionary.apply(&batch).unwrap();
            assert_eq!(dictionary.lookup(&[key]).unwrap().get(0), Some(2), "insert after insert");
            batch.delete(key);
            dictionary.apply(&batch).unwrap();
            assert_eq!(dictionary.lookup(&[key]).unwrap().get(0), None, "delete after inserts");
            batch.insert(key, 3);
            dictionary.apply(&batch).unwrap();
            assert_eq!(dictionary.lookup(&[key]).unwrap().get(0), Some(3), "insert after delete");
            dictionary.verify().unwrap();
        }
        // Far more equal keys than fit a tile: the last of 10,000 wins.
        let keys = [7; 10_000];
        let values: Vec<u32> = (0..10_000).collect();
        dictionary.insert(&keys, &values).unwrap();
        assert_eq!(dictionary.lookup(&[7]).unwrap().get(0), Some(9_999));
    });
}

fn rule_3_batches_can_be_joined_and_split_at_will(device: &Device) {
    splits::<u32, u32>(device);
    wide(device, || splits::<u64, [u32; 4]>(device));
}

/// `update(A)`, `update(B)` and so on against one `apply` of the same operations in sequence, over random splits.
fn splits<K: TestKey, V: TestValue>(device: &Device) {
    let queries: Vec<K> = (0..500).map(spread).chain(K::edges()).collect();
    for seed in 0..6 {
        let mut rng = rng(seed);
        let mut parts = Dictionary::<K, V>::with_config(device, Config::new().with_batch_size(64)).unwrap();
        let mut joined = Batch::new();
        for _ in 0..rng.random_range(2..8) {
            let len = rng.random_range(0..700);
            let operations: Vec<Operation<K, V>> = random_operations(&mut rng, len, 500, 0.4);
            let (inserts, deletes): (Vec<_>, Vec<_>) = operations.into_iter().partition(|o| o.1.is_some());
            let (keys, values): (Vec<K>, Vec<V>) =
                inserts.iter().map(|&(key, value)| (key, value.unwrap())).unzip();
            let deleted: Vec<K> = deletes.iter().map(|delete| delete.0).collect();
            parts.update(&keys, &values, &deleted).unwrap();
            joined.append(&batch(&inserts));
            joined.append(&batch(&deletes));
        }
        let mut whole = Dictionary::<K, V>::with_config(device, Config::new().with_batch_size(64)).unwrap();
        whole.apply(&joined).unwrap();
        assert_eq!(parts.lookup(&queries).unwrap(), whole.lookup(&queries).unwrap(), "seed {seed}");
        parts.cleanup().unwrap();
        whole.cleanup().unwrap();
        assert_eq!(parts.statistics().entries, whole.statistics().entries, "seed {seed}");
        parts.verify().unwrap();
        whole.verify().unwrap();
    }
}

fn rule_4_deletes_come_after_inserts(device: &Device) {
    let edges = u32::edges();
    let mut dictionary = Dictionary::<u32, u32>::new(device).unwrap();
    dictionary.update(&edges, &[1; 6], &edges[..3]).unwrap();
    let expected = [None, None, None, Some(1), Some(1), Some(1)];
    assert_eq!(dictionary.lookup(&edges).unwrap().to_vec(), expected, "a key in both is deleted");
    dictionary.update(&edges[..1], &[2], &edges[3..]).unwrap();
    let expected = [Some(2), None, None, None, None, None];
    assert_eq!(dictionary.lookup(&edges).unwrap().to_vec(), expected);
    dictionary.update(&[], &[], &edges).unwrap();
    assert_eq!(dictionary.lookup(&edges).unwrap().found(), [0; 6]);
    assert_eq!(dictionary.statistics().entries, 0, "nothing is left of what was deleted");
    dictionary.verify().unwrap();
}

fn rule_5_every_key_and_every_value_can_be_stored(device: &Device) {
    stores_edges::<u32, u32>(device, &[0, 1, u32::MAX]);
    wide(device, || stores_edges::<u64, u32>(device, &[0, 1, u32::MAX]));
    wide(device, || stores_edges::<u64, [u32; 4]>(device, &[[0; 4], [u32::MAX; 4], [0, 0, 0, 1]]));
    stores_edges::<u32, f64>(device, &[0.0, -0.0, f64::INFINITY]);
    stores_edges::<u32, ()>(device, &[()]);
}

fn stores_edges<K: TestKey, V: TestValue>(device: &Device, values: &[V]) {
    for &value in values {
        let mut pair = Pair::<K, V>::new(device, 4);
        // One key at a time, so that every key passes through merges. Then deletes, every second key first.
        for key in K::edges() {
            pair.apply(&[(key, Some(value))]);
            pair.check(&K::edges(), "inserting edges");
        }
        let (even, odd): (Vec<_>, Vec<_>) = K::edges().into_iter().enumerate().partition(|(i, _)| i % 2 == 0);
        for (_, key) in even.into_iter().chain(odd) {
            pair.apply(&[(key, None)]);
            pair.check(&K::edges(), "deleting edges");
        }
        assert_eq!(pair.dictionary.statistics().entries, 0);
    }
}

fn rule_6_queries_see_exactly_the_batches_applied_before(device: &Device) {
    let mut pair = Pair::<u32, u32>::new(device, 128);
    let keys: Vec<u32> = (0..5000).map(spread).chain(u32::edges()).collect();
    for step in 0..12u64 {
        pair.check(&keys, &format!("before batch {step}"));
        for len in [0, 1, 4095, 4096, 4097] {
            assert_eq!(pair.dictionary.lookup(&keys[..len]).unwrap().len(), len);
        }
        pair.apply(&random_operations(&mut rng(step), 300, 5000, 0.3));
        pair.check(&keys, &format!("after batch {step}"));
    }
    let many: Vec<u32> = keys.iter().cycle().take(300_000).copied().collect();
    pair.check(&many, "more queries than entries");
}

fn rule_7_lookup_returns_the_value_or_nothing(device: &Device) {
    let dictionary = Dictionary::<u32, u32>::new(device).unwrap();
    let edges = u32::edges();
    assert_eq!(dictionary.lookup(&edges).unwrap().to_vec(), [None; 6], "an empty dictionary");
    assert!(dictionary.lookup(&[]).unwrap().is_empty());
    let mut dictionary =
        Dictionary::build(device, Config::new().with_batch_size(2), &edges, &[0, 1, 2, 3, 4, 5]).unwrap();
    let answers = dictionary.lookup(&edges).unwrap();
    assert_eq!(answers.to_vec(), [Some(0), Some(1), Some(2), Some(3), Some(4), Some(5)], "zero is a value");
    let others: Vec<u32> = vec![2, 3, (1 << 31) - 2, (1 << 31) + 1, u32::MAX - 2];
    assert_eq!(dictionary.lookup(&others).unwrap().to_vec(), [None; 5], "keys that never were there");
    dictionary.delete(&[0, 1 << 31, u32::MAX]).unwrap();
    let answers = dictionary.lookup(&edges).unwrap();
    assert_eq!(answers.to_vec(), [None, Some(1), Some(2), None, Some(4), None], "deleted keys");
    assert_eq!(answers.values(), [0, 1, 2, 0, 4, 0], "what has no value is zero");
}

fn rule_8_the_same_calls_give_the_same_bytes_as_on_the_host(device: &Device) {
    same_bytes::<u32, u32>(device);
    wide(device, || same_bytes::<u64, f64>(device));
    same_bytes::<u32, [u32; 4]>(device);
    wide(device, || same_bytes::<u64, ()>(device));
}

fn same_bytes<K: TestKey, V: TestValue>(device: &Device) {
    let mut here = Pair::<K, V>::new(device, 256);
    let mut there = Pair::<K, V>::new(&Device::host(), 256);
    let queries: Vec<K> = (0..6000).map(spread).chain(K::edges()).collect();
    let mut rng = rng(8);
    for _ in 0..25 {
        let len = rng.random_range(0..1500);
        let operations = random_operations(&mut rng, len, 5000, 0.35);
        here.apply(&operations);
        there.apply(&operations);
        let (ours, theirs) =
            (here.dictionary.lookup(&queries).unwrap(), there.dictionary.lookup(&queries).unwrap());
        assert_eq!(ours.found(), theirs.found());
        assert_eq!(ours.values(), theirs.values());
        let shape = |pair: &Pair<K, V>| {
            let levels = pair.dictionary.statistics().levels;
            levels.iter().map(|level| (level.level, level.entries, level.tombstones)).collect::<Vec<_>>()
        };
        assert_eq!(shape(&here), shape(&there), "the same levels");
        here.dictionary.verify().unwrap();
    }
}

fn rule_9_a_failed_call_is_a_typed_error_and_changes_nothing(device: &Device) {
    let config = Config::new().with_batch_size(64).with_byte_budget(200_000);
    let mut dictionary = Dictionary::<u32, u32>::with_config(device, config).unwrap();
    let keys: Vec<u32> = (0..994).map(spread).chain(u32::edges()).collect();
    dictionary.insert(&keys, &keys).unwrap();
    dictionary.delete(&[0, u32::MAX, keys[500]]).unwrap();
    let before = (dictionary.statistics().levels, dictionary.lookup(&keys).unwrap());

    let unequal = dictionary.insert(&keys, &keys[1..]).unwrap_err();
    assert_eq!(unequal, Error::UnequalColumns { keys: 1000, values: 999 });
    let unequal = dictionary.update(&[], &keys, &keys).unwrap_err();
    assert_eq!(unequal, Error::UnequalColumns { keys: 0, values: 1000 });
    let many: Vec<u32> = (0..50_000).collect();
    for error in [
        dictionary.insert(&many, &many).unwrap_err(),
        dictionary.update(&many, &many, &many).unwrap_err(),
        dictionary.lookup(&many).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Backend(BackendError::OverBudget { budget: 200_000, .. })), "{error}");
    }
    let zero = Dictionary::<u32, u32>::with_config(device, Config::new().with_batch_size(0)).unwrap_err();
    assert_eq!(zero, Error::ZeroBatchSize);

    dictionary.verify().unwrap();
    assert_eq!((dictionary.statistics().levels, dictionary.lookup(&keys).unwrap()), before);
    dictionary.delete(&keys[..10]).unwrap();
    assert_eq!(dictionary.lookup(&keys[..10]).unwrap().found(), [0; 10], "and takes the next update");
}

#[test]
fn a_dictionary_can_be_sent_and_shared_between_threads() {
    fn assert_send_and_sync<T: Send + Sync + 'static>() {}
    assert_send_and_sync::<Dictionary<u32, u32>>();
    assert_send_and_sync::<Dictionary<u64, [u32; 4]>>();
    assert_send_and_sync::<Device>();
    assert_send_and_sync::<Error>();
}

/// Lookups from four threads at once, then an update from a fifth. Threads read runs that other threads made.
fn a_dictionary_is_used_from_several_threads(device: &Device) {
    let mut pair = Pair::<u32, u32>::new(device, 500);
    for round in 0..6u64 {
        std::thread::scope(|scope| {
            for reader in 0..4u64 {
                let pair = &pair;
                scope.spawn(move || {
                    let keys: Vec<u32> = (0..2000).map(|i| spread(reader * 900 + i)).collect();
                    pair.check(&keys, &format!("round {round}, reader {reader}"));
                });
            }
        });
        let writer = std::thread::spawn(move || {
            pair.apply(&random_operations(&mut rng(round), 1700, 5000, 0.3));
            pair
        });
        pair = writer.join().unwrap();
    }
}

/// No level of size 0 holds anything, so a search for one that does would not end.
#[test]
fn bytes_for_a_batch_size_of_0_are_those_of_1() {
    let needed = |b| Dictionary::<u32, u32>::bytes_for(1000, 100, &Config::new().with_batch_size(b));
    assert_eq!(needed(0), needed(1));
}

#[test]
fn bytes_for_saturates_instead_of_overflowing() {
    let config = Config::new().with_batch_size(usize::MAX);
    let huge = Dictionary::<u64, [u32; 4]>::bytes_for(u64::MAX, u64::MAX, &config);
    assert_eq!(huge.payload, u64::MAX);
    for need in [huge.expected, huge.most] {
        assert_eq!((need.resident, need.peak), (u64::MAX, u64::MAX));
    }
}
