//! Sharded dictionaries: saved, loaded and durable, also with other boundaries and another number of devices.

use crate::memory::{Fault, Memory};
use crate::save::assert_same;
use gpu_lsm::{Batch, Config, Device, Dictionary, Sharded, ShardedSnapshot, Sharding};
use gpu_lsm_store::{DurableSharded, Error, Options, Store};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

fn devices(count: usize) -> Vec<Device> {
    (0..count).map(|_| Device::host_with_threads(1).unwrap()).collect()
}

fn config() -> Config {
    Config::new().with_batch_size(64)
}

fn open(store: &Store, count: usize, sharding: &Sharding<u64>) -> DurableSharded<u64, u64> {
    let options = Options::new().with_config(config()).with_part_bytes(3000);
    store.write_sharded(&devices(count), sharding, options).unwrap()
}

fn store() -> (Arc<Memory>, Store) {
    let memory = Memory::new();
    (Arc::clone(&memory), Store::over(memory))
}

fn batch(number: u64) -> Batch<u64, u64> {
    let mut rng = ChaCha8Rng::seed_from_u64(number);
    let len = rng.random_range(1..300);
    (0..len)
        .map(|_| (rng.random_range(0..3000) << 50, rng.random_ratio(3, 4).then(|| rng.random())))
        .collect()
}

fn entries(snapshot: &ShardedSnapshot<u64, u64>) -> Vec<(u64, u64)> {
    snapshot.iter().map(Result::unwrap).collect()
}

/// Shards, levels and entries are equal.
fn assert_same_shards(a: &ShardedSnapshot<u64, u64>, b: &ShardedSnapshot<u64, u64>) {
    let firsts =
        |snapshot: &ShardedSnapshot<u64, u64>| snapshot.shards().map(|(first, _)| first).collect::<Vec<_>>();
    assert_eq!(firsts(a), firsts(b));
    a.shards().zip(b.shards()).for_each(|((_, a), (_, b))| assert_same(a, b));
}

#[test]
fn shards_are_saved_and_loaded_with_their_levels() {
    let (memory, store) = store();
    let mut sharded = Sharded::<u64, u64>::new(&devices(2), config()).unwrap();
    for number in 0..20 {
        sharded.apply(&batch(number)).unwrap();
        store.save_sharded(&sharded).unwrap();
        let loaded = store.load_sharded::<u64, u64>(&devices(2), &Sharding::new(), None).unwrap();
        assert_same_shards(&sharded, &loaded);
        assert_eq!(loaded.config().batch_size(), sharded.config().batch_size());
    }
    assert!(sharded.shards().count() > 2, "the batches have divided it");
    let files = memory.names("runs").len();
    store.save_sharded(&sharded).unwrap();
    assert_eq!(memory.names("runs").len(), files, "runs that the store has are not written again");
    let mut loaded = store.load_sharded::<u64, u64>(&devices(2), &Sharding::new(), None).unwrap();
    loaded.insert(&[7], &[7]).unwrap();
    store.save_sharded(&loaded).unwrap();
    let new = memory.names("runs").len() - files;
    assert!((1..=2).contains(&new), "only the first shard has new runs: {new}");
}

#[test]
fn a_store_opens_with_other_boundaries_and_devices() {
    let (_, store) = store();
    let sharding = |boundaries: &[u64]| Sharding::new().with_boundaries(boundaries);
    let mut twin = Dictionary::<u64, u64>::with_config(&Device::host(), config()).unwrap();
    let mut number = 0;
    let homes: [(usize, Sharding<u64>); 6] = [
        (2, Sharding::new()),
        (3, sharding(&[1 << 55, 1 << 60, 3 << 60])),
        (1, sharding(&[1 << 59])),
        (1, Sharding::new()),
        (4, Sharding::new().with_shares(&[1.0, 2.0, 3.0, 4.0])),
        (2, sharding(&[5])),
    ];
    for (count, sharding) in &homes {
        let mut durable = open(&store, *count, sharding);
        let expected: Vec<_> = twin.iter().map(Result::unwrap).collect();
        assert_eq!(entries(&durable), expected);
        assert_eq!(durable.devices().len(), *count);
        for _ in 0..15 {
            durable.apply(&batch(number)).unwrap();
            twin.apply(&batch(number)).unwrap();
            number += 1;
        }
        durable.delete_range(&[number << 52], &[(number + 3) << 52]).unwrap();
        twin.delete_range(&[number << 52], &[(number + 3) << 52]).unwrap();
        // Some are opened from the log, others from a version.
        if count % 2 == 0 {
            durable.checkpoint().unwrap();
        }
        drop(durable);
        let loaded = store.load_sharded::<u64, u64>(&devices(1), &Sharding::new(), None).unwrap();
        assert_eq!(entries(&loaded), twin.iter().map(Result::unwrap).collect::<Vec<_>>());
    }
}

#[test]
fn boundaries_that_are_asked_for_are_those_of_the_dictionary() {
    let (_, store) = store();
    let keys: Vec<u64> = (0..2000).collect();
    let mut durable = open(&store, 1, &Sharding::new().with_boundaries(&[500, 1000]));
    durable.insert(&keys, &vec![1; 2000]).unwrap();
    durable.checkpoint().unwrap();
    let asked = Sharding::new().with_boundaries(&[700, 1000, 1500]);
    let loaded = store.load_sharded::<u64, u64>(&devices(2), &asked, None).unwrap();
    assert_eq!(loaded.shards().map(|(first, _)| first).collect::<Vec<_>>(), [0, 700, 1000, 1500]);
    assert_eq!(entries(&loaded), entries(&durable));
    let devices: Vec<usize> = loaded.statistics().shards.iter().map(|shard| shard.device).collect();
    assert!(devices.is_sorted() && devices.contains(&1), "{devices:?}");
}

#[test]
fn a_plain_store_becomes_a_sharded_one_but_not_the_other_way_round() {
    let (_, store) = store();
    let keys: Vec<u64> = (0..1000).map(|i| i << 50).collect();
    let values: Vec<u64> = (0..1000).collect();
    let plain = Dictionary::build(&Device::host(), config(), &keys, &values).unwrap();
    store.save(&plain).unwrap();
    let boundaries = Sharding::new().with_boundaries(&[100 << 50]);
    let mut durable = open(&store, 2, &boundaries);
    assert_eq!(entries(&durable), plain.iter().map(Result::unwrap).collect::<Vec<_>>());
    durable.insert(&[9], &[9]).unwrap();
    let version = durable.checkpoint().unwrap();
    let shards = durable.shards().count();
    assert_eq!(store.load::<u64, u64>(&Device::host()).unwrap_err(), Error::ManyShards { shards });
    let loaded = store.load_sharded::<u64, u64>(&devices(1), &Sharding::new(), Some(version)).unwrap();
    assert_same_shards(&durable, &loaded);
    // A snapshot may replace it, whatever it was.
    store.save(&plain).unwrap();
    assert_same(&plain, &store.load::<u64, u64>(&Device::host()).unwrap());
    assert!(matches!(durable.insert(&[10], &[10]), Err(Error::Fenced { .. })));
}

#[test]
fn a_version_is_loaded_by_its_own_shards() {
    let (_, store) = store();
    let halves = Sharding::new().with_boundaries(&[1 << 63]);
    let mut sharded = Sharded::<u64, u64>::with_sharding(&devices(1), config(), &halves).unwrap();
    sharded.insert(&[1, u64::MAX], &[1, 2]).unwrap();
    let plain = Dictionary::build(&Device::host(), config(), &[3u64], &[3u64]).unwrap();
    let load = |version| store.load_version::<u64, u64>(&Device::host(), version);
    let two_shards = store.save_sharded(&sharded).unwrap();
    let one_shard = store.save(&plain).unwrap();
    assert_eq!(load(two_shards).unwrap_err(), Error::ManyShards { shards: 2 });
    store.save_sharded(&sharded).unwrap();
    assert_same(&plain, &load(one_shard).unwrap());
}

/// The k-th operation of the place fails: a batch is in all shards or in none.
#[test]
fn a_batch_is_one_object_whatever_the_shards() {
    for k in 0..40 {
        let (memory, store) = store();
        memory.fail(Some(Fault::Before(k)));
        let sharding = Sharding::new().with_boundaries(&[1 << 60, 1 << 61]);
        let options = Options::new().with_config(config());
        let Ok(mut durable) = store.write_sharded::<u64, u64>(&devices(2), &sharding, options) else {
            continue;
        };
        let mut twin = Sharded::<u64, u64>::with_sharding(&devices(2), config(), &sharding).unwrap();
        for number in 0..12 {
            match durable.apply(&batch(number)) {
                Ok(()) => twin.apply(&batch(number)).unwrap(),
                Err(error) => assert!(matches!(error, Error::NotWritten { .. }), "{error}"),
            }
            assert_eq!(entries(&durable), entries(&twin), "k = {k}");
        }
        drop(durable);
        memory.fail(None);
        let loaded = store.load_sharded::<u64, u64>(&devices(1), &sharding, None).unwrap();
        assert_eq!(entries(&loaded), entries(&twin), "k = {k}");
    }
}
