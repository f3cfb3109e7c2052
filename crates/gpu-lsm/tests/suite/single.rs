//! One key, one interval, entries one by one; columns by value; sets; batches as collections.

use crate::on_every_device;
use crate::support::{Pair, random_operations, rng, wide};
use gpu_lsm::{Batch, Config, Device, Dictionary, Error, Morton};
use std::ops::Bound::{Excluded, Included, Unbounded};

on_every_device!(
    one_interval_is_answered_as_the_model_answers_it,
    intervals_reach_both_ends_of_the_keys,
    entries_one_by_one_are_all_entries_in_order,
    columns_of_every_form_are_the_same,
    pairs_and_points_can_be_uploaded,
    a_set_needs_no_values,
    a_batch_is_a_collection,
);

fn one_interval_is_answered_as_the_model_answers_it(device: &Device) {
    let mut pair = Pair::<u32, u32>::new(device, 64);
    let mut rng = rng(5);
    for _ in 0..6 {
        pair.apply(&random_operations(&mut rng, 200, 600, 0.3));
    }
    let (dictionary, model) = (&pair.dictionary, &pair.model);
    let some: Vec<u32> = model.keys().step_by(40).copied().collect();
    for (&low, &high) in some.iter().zip(&some[1..]) {
        let bounds = [Included(low), Excluded(low), Unbounded];
        let ends = [Included(high), Excluded(high), Unbounded];
        for interval in bounds.iter().flat_map(|&start| ends.map(|end| (start, end))) {
            let expected: (Vec<u32>, Vec<u32>) = model.range(interval).unzip();
            assert_eq!(dictionary.count_in(interval).unwrap(), expected.0.len() as u64);
            assert_eq!(dictionary.range_in(interval).unwrap(), expected);
        }
        assert_eq!(dictionary.get(low).unwrap(), model.get(&low).copied());
        assert_eq!(dictionary.contains(low + 1).unwrap(), model.contains_key(&(low + 1)));
    }
    let (low, high) = (some[1], some[3]);
    pair.dictionary.delete_in(low..high).unwrap();
    pair.model.retain(|key, _| !(low..high).contains(key));
    assert!(
        pair.dictionary.iter().map(Result::unwrap).eq(pair.model.iter().map(|(&key, &value)| (key, value)))
    );
}

fn intervals_reach_both_ends_of_the_keys(device: &Device) {
    let ends = [0, 1, u32::MAX - 1, u32::MAX];
    let mut set = Dictionary::build_set(device, Config::new(), ends).unwrap();
    assert_eq!(set.count_in(..).unwrap(), 4);
    assert_eq!(set.range_in(..=0).unwrap().0, [0]);
    assert!(set.range_in(..0).unwrap().0.is_empty());
    assert_eq!(set.range_in(u32::MAX..).unwrap().0, [u32::MAX]);
    assert!(set.range_in((Excluded(u32::MAX), Unbounded)).unwrap().0.is_empty());
    assert_eq!(set.range_in(1..u32::MAX).unwrap().0, [1, u32::MAX - 1]);
    set.delete_in((Excluded(u32::MAX), Unbounded)).unwrap();
    set.delete_in(..0).unwrap();
    assert_eq!(set.len().unwrap(), 4);
    set.delete_in(..).unwrap();
    assert!(set.is_empty().unwrap());
}

/// More entries than fit one chunk, so that chunks follow each other.
fn entries_one_by_one_are_all_entries_in_order(device: &Device) {
    let keys: Vec<u32> = (0..70_000).map(|i| i * 3).collect();
    let dictionary = Dictionary::build(device, Config::new(), &keys, &keys).unwrap();
    let mut expected = keys.iter();
    for entry in &dictionary {
        let (key, value) = entry.unwrap();
        assert_eq!((Some(&key), key), (expected.next(), value));
    }
    assert_eq!(expected.next(), None);
    let empty = Dictionary::<u32, u32>::new(device).unwrap();
    assert!(empty.iter().next().is_none());
}

fn columns_of_every_form_are_the_same(device: &Device) {
    let (keys, values) = (vec![3u32, 1, 2], [30u32, 10, 20]);
    let there = (device.upload(&keys).unwrap(), device.upload(&values).unwrap());
    let boxed = keys.clone().into_boxed_slice();
    let config = Config::new();
    let all = [
        Dictionary::build(device, config, [3u32, 1, 2], values),
        Dictionary::build(device, config, &keys, &values),
        Dictionary::build(device, config, keys.as_slice(), values.to_vec()),
        Dictionary::build(device, config, &boxed, values.as_slice()),
        Dictionary::build(device, config, boxed.clone(), Box::<[u32]>::from(values)),
        Dictionary::build(device, config, &there.0, values),
        Dictionary::build(device, config, there.0.clone(), there.1.clone()),
    ];
    for built in all {
        let dictionary = built.unwrap();
        assert_eq!(dictionary.lookup(keys.clone()).unwrap().to_vec(), [Some(30), Some(10), Some(20)]);
        assert_eq!(dictionary.count([0, 2], vec![9, 9]).unwrap(), [3, 2]);
        assert_eq!(dictionary.successor(&there.0).unwrap().to_vec()[0], Some((3, 30)));
    }
    let error = Dictionary::build(device, config, [1u32, 2], [1u32]).unwrap_err();
    assert_eq!(error, Error::UnequalColumns { keys: 2, values: 1 });
}

fn pairs_and_points_can_be_uploaded(device: &Device) {
    wide(device, || {
        let pairs = [(1u32, 9u32), (0, 7)];
        let uploaded = device.upload_keys(&pairs).unwrap();
        let set = Dictionary::<(u32, u32), ()>::build_set(device, Config::new(), &uploaded).unwrap();
        assert_eq!(set.range_in(..).unwrap().0, [(0, 7), (1, 9)]);
        let points = [Morton { x: 5, y: 6 }, Morton { x: 1, y: 2 }];
        let uploaded = device.upload_keys(&points).unwrap();
        let set = Dictionary::<Morton, ()>::build_set(device, Config::new(), uploaded).unwrap();
        assert!(points.iter().all(|&point| set.contains(point).unwrap()));
    });
}

fn a_set_needs_no_values(device: &Device) {
    let mut set = Dictionary::<i32, ()>::new(device).unwrap();
    set.insert_keys([-5, 7]).unwrap();
    set.insert_keys(&device.upload(&[0i32]).unwrap()).unwrap();
    let mut batch = Batch::new();
    batch.insert_key(9);
    batch.delete(7);
    set.apply(&batch).unwrap();
    assert_eq!(set.range_in(..).unwrap().0, [-5, 0, 9]);
}

fn a_batch_is_a_collection(device: &Device) {
    let mut batch: Batch<u32, u32> = (0..100).map(|key| (key, key)).collect();
    batch.extend([(7, None), (8, Some(80))]);
    let mut dictionary = Dictionary::new(device).unwrap();
    dictionary.apply(&batch).unwrap();
    assert_eq!((dictionary.get(7).unwrap(), dictionary.get(8).unwrap()), (None, Some(80)));
    assert_eq!(dictionary.len().unwrap(), 99);
    batch.clear();
    assert_eq!(batch, Batch::with_capacity(50), "the marks of its deletes are gone too");
    batch.extend((0..40).map(|key| (key, 1)));
    dictionary.apply(&batch).unwrap();
    assert_eq!(dictionary.lookup(&[7, 39, 40]).unwrap().to_vec(), [Some(1), Some(1), Some(40)]);
}
