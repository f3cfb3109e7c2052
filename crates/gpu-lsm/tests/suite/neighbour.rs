//! successor, predecessor, first, last and scan, through stretches of tombstones and replaced entries.

use crate::on_every_device;
use crate::support::{Pair, TestKey, TestValue, random_operations, rng, spread, wide};
use gpu_lsm::{Config, Device, Dictionary};
use rand::RngExt;

on_every_device!(
    neighbours_of_random_keys,
    neighbours_at_the_edges,
    a_million_tombstones_before_a_successor,
    a_scan_gives_everything_in_order,
    neighbours_of_nothing,
);

fn neighbours_of_random_keys(device: &Device) {
    random::<u32, u32>(device);
    wide(device, || random::<u64, [u32; 4]>(device));
    random::<u32, ()>(device);
}

fn random<K: TestKey, V: TestValue>(device: &Device) {
    let mut rng = rng(3);
    let mut pair = Pair::<K, V>::new(device, 64);
    for (step, deletes) in [0.1, 0.5, 0.9, 0.99, 0.2, 0.9].into_iter().enumerate() {
        for _ in 0..3 {
            let len = rng.random_range(0..400);
            pair.apply(&random_operations(&mut rng, len, 1500, deletes));
        }
        let queries = (0..500).map(|_| K::coded(rng.random())).chain(K::edges());
        let queries: Vec<K> = queries.chain((0..500).map(spread)).collect();
        pair.check_neighbours(&queries, &format!("step {step}"));
    }
}

fn neighbours_at_the_edges(device: &Device) {
    wide(device, || {
        let mut pair = Pair::<u64, u32>::new(device, 4);
        for key in u64::edges() {
            pair.apply(&[(key, Some(1))]);
            pair.check_neighbours(&u64::edges(), "inserting edges");
        }
        for key in u64::edges() {
            pair.apply(&[(key, None)]);
            pair.check_neighbours(&u64::edges(), "deleting edges");
        }
    });
}

fn a_million_tombstones_before_a_successor(device: &Device) {
    let config = Config::new().with_batch_size(1 << 20);
    let keys: Vec<u32> = (0..2_500_000).collect();
    let mut dictionary = Dictionary::<u32, u32>::build(device, config, &keys, &keys).unwrap();
    dictionary.delete(&keys[700_000..1_700_000]).unwrap();
    assert_eq!(dictionary.statistics().tombstones, 1_000_000, "they are there");
    let next = dictionary.successor(&[699_999, 700_000, 1_000_000, 1_699_999, 1_700_000, 2_500_000]).unwrap();
    assert_eq!(next.keys(), [699_999, 1_700_000, 1_700_000, 1_700_000, 1_700_000, 0]);
    assert_eq!(next.found(), [1, 1, 1, 1, 1, 0]);
    let before = dictionary.predecessor(&[1_700_000, 1_699_999, 700_000, 699_999, 0]).unwrap();
    assert_eq!(before.keys(), [1_700_000, 699_999, 699_999, 699_999, 0]);
    assert_eq!(before.values(), [1_700_000, 699_999, 699_999, 699_999, 0]);
    assert_eq!(dictionary.scan(1 << 19).map(|chunk| chunk.unwrap().0.len()).sum::<usize>(), 1_500_000);
}

fn a_scan_gives_everything_in_order(device: &Device) {
    let mut pair = Pair::<u32, u32>::new(device, 64);
    for step in 0..8 {
        pair.apply(&random_operations(&mut rng(step), 300, 2000, 0.3));
    }
    for size in [1, 7, 100, 10_000] {
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        let chunks: Vec<_> = pair.dictionary.scan(size).take(300).map(Result::unwrap).collect();
        assert!(
            chunks.iter().rev().skip(1).all(|chunk| chunk.0.len() == size as usize),
            "only the last is short"
        );
        for chunk in chunks {
            keys.extend(chunk.0);
            values.extend(chunk.1);
        }
        let expected = pair.model.iter().take(300 * size as usize);
        assert!(keys.iter().zip(&values).eq(expected), "chunks of {size}");
    }
}

fn neighbours_of_nothing(device: &Device) {
    let dictionary = Dictionary::<u32, u32>::new(device).unwrap();
    assert_eq!(dictionary.successor(&[0]).unwrap().get(0), None);
    assert!(dictionary.predecessor(&[]).unwrap().is_empty());
    assert_eq!((dictionary.first().unwrap(), dictionary.last().unwrap()), (None, None));
    assert!(dictionary.scan(10).next().is_none());
}
