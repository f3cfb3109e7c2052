//! Shards follow the data: nobody has far more than its share, and no run exceeds its device's arrays.

use crate::on_every_device;
use gpu_lsm::{BackendError, Batch, Config, Device, Dictionary, Error, Result, Sharded, Sharding};

on_every_device!(
    ascending_keys_stay_balanced,
    clustered_keys_stay_balanced,
    a_window_of_time_stays_balanced,
    devices_get_their_shares,
    small_neighbours_become_one_again,
);

const B: usize = 64;
const SHARDS: usize = 4;

/// More batches on the host, where they are cheap.
fn batches(device: &Device) -> u64 {
    if device.is_host() { 1000 } else { 100 }
}

fn sharded(device: &Device) -> Sharded<u64, u32> {
    let sharding = Sharding::new().with_shards(SHARDS);
    let config = Config::new().with_batch_size(B);
    Sharded::with_sharding(std::slice::from_ref(device), config, &sharding).unwrap()
}

/// No shard has more than twice its share, and there are not too many of them.
fn assert_balanced(sharded: &Sharded<u64, u32>, batch: u64) {
    let statistics = sharded.statistics();
    let shards: Vec<u64> = statistics.shards.iter().map(|shard| shard.statistics.entries).collect();
    let largest = *shards.iter().max().unwrap();
    assert!(largest <= 2 * statistics.entries / SHARDS as u64 + B as u64, "batch {batch}: {shards:?}");
    assert!(shards.len() <= 2 * SHARDS, "batch {batch}: {shards:?}");
}

fn grows(device: &Device, keys_of: impl Fn(u64) -> Vec<u64>) {
    crate::support::wide(device, || {
        let mut sharded = sharded(device);
        let mut len = 0;
        for batch in 0..batches(device) {
            let keys = keys_of(batch);
            sharded.insert(&keys, &vec![batch as u32; keys.len()]).unwrap();
            len += keys.len() as u64;
            assert_balanced(&sharded, batch);
        }
        assert_eq!(sharded.len().unwrap(), len);
        sharded.verify().unwrap();
    });
}

fn ascending_keys_stay_balanced(device: &Device) {
    grows(device, |batch| (0..B as u64).map(|i| 1_700_000_000_000 + batch * 1000 + i).collect());
}

/// Each batch is a cluster somewhere else.
fn clustered_keys_stay_balanced(device: &Device) {
    grows(device, |batch| {
        (0..B as u64).map(|i| batch.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(i)).collect()
    });
}

fn a_window_of_time_stays_balanced(device: &Device) {
    crate::support::wide(device, || {
        let (mut sharded, window) = (sharded(device), 50);
        for batch in 0..batches(device) / 2 {
            let keys: Vec<u64> = (0..B as u64).map(|i| batch * 1000 + i).collect();
            sharded.insert(&keys, &vec![0; B]).unwrap();
            sharded.delete_in(..(batch + 1).saturating_sub(window) * 1000).unwrap();
            assert_balanced(&sharded, batch);
        }
        let left = sharded.range_in(..).unwrap().0;
        assert_eq!(left.len() as u64, window * B as u64);
        sharded.verify().unwrap();
    });
}

fn devices_get_their_shares(device: &Device) {
    let sharding = Sharding::new().with_shares(&[1.0, 3.0]);
    let devices = [device.clone(), device.clone()];
    let config = Config::new().with_batch_size(B);
    let mut sharded = Sharded::<u32, u32>::with_sharding(&devices, config, &sharding).unwrap();
    for batch in 0..40u32 {
        let keys: Vec<u32> = (batch * 200..batch * 200 + 200).collect();
        sharded.insert(&keys, &keys).unwrap();
        let statistics = sharded.statistics();
        for (device, share) in [(0, 0.25), (1, 0.75)] {
            let on_device = statistics.shards.iter().filter(|shard| shard.device == device);
            let entries: u64 = on_device.map(|shard| shard.statistics.entries).sum();
            assert!(entries as f64 <= 1.6 * share * statistics.entries as f64 + B as f64, "{statistics:?}");
        }
    }
    sharded.verify().unwrap();
    assert_eq!(sharded.range_in(..).unwrap().0, (0..8000).collect::<Vec<u32>>());
}

fn small_neighbours_become_one_again(device: &Device) {
    let mut sharded =
        Sharded::<u32, u32>::new(std::slice::from_ref(device), Config::new().with_batch_size(B)).unwrap();
    let keys: Vec<u32> = (0..1000).collect();
    sharded.insert(&keys, &keys).unwrap();
    for boundary in [200, 400, 600, 800] {
        sharded.split_at(boundary).unwrap();
    }
    assert_eq!(sharded.statistics().shards.len(), 5);
    sharded.insert(&[5000], &[5000]).unwrap();
    assert_eq!(sharded.statistics().shards.len(), 1);
    sharded.verify().unwrap();
    assert_eq!(sharded.len().unwrap(), 1001);
}

/// Arrays of 1000 elements: the dictionary goes on where a plain one ends.
#[test]
fn a_dictionary_goes_on_past_one_array() {
    let device = Device::host_with_arrays_of_at_most(1000);
    let config = Config::new().with_batch_size(B);
    let mut plain = Dictionary::<u32, u32>::with_config(&device, config).unwrap();
    let mut sharded = Sharded::<u32, u32>::new(&[device], config).unwrap();
    let keys: Vec<u32> = (0..20_000).map(|i: u32| i.wrapping_mul(0x9E37_79B1)).collect();
    assert!(plain.insert(&keys, &keys).is_err());
    sharded.insert(&keys[..5000], &keys[..5000]).unwrap();
    for batch in keys[5000..].chunks(700) {
        sharded.insert(batch, batch).unwrap();
    }
    let largest = |sharded: &Sharded<u32, u32>| {
        let shards = sharded.statistics().shards;
        shards.iter().map(|shard| shard.statistics.entries).max().unwrap()
    };
    assert!(largest(&sharded) <= 1000);
    sharded.verify().unwrap();
    assert_eq!(sharded.lookup(&keys).unwrap().values(), keys);
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    assert_eq!(sharded.range_in(..).unwrap().0, sorted);
    assert_eq!(sharded.count(&[0], &[u32::MAX]).unwrap(), [20_000]);
    // Deletes add tombstones, which must fit too.
    sharded.delete(&keys[..15_000]).unwrap();
    assert!(largest(&sharded) <= 1000);
    assert_eq!(sharded.len().unwrap(), 5000);
    sharded.verify().unwrap();
}

/// Every key of a short run is looked at, with one offset more than it has keys.
#[test]
fn a_run_that_fills_an_array_is_split() {
    let device = Device::host_with_arrays_of_at_most(100);
    let mut sharded = Sharded::<u32, u32>::new(&[device], Config::new().with_batch_size(8)).unwrap();
    let keys: Vec<u32> = (0..102).collect();
    sharded.insert(&keys[..100], &keys[..100]).unwrap();
    assert_eq!(sharded.statistics().shards.len(), 1);
    sharded.insert(&keys[100..], &keys[100..]).unwrap();
    sharded.verify().unwrap();
    assert_eq!(sharded.range_in(..).unwrap(), (keys.clone(), keys));
}

/// One key cannot be split. Of more operations on it than an array can hold, only the last one reaches the device.
#[test]
fn a_batch_may_have_more_operations_on_one_key_than_an_array_holds() {
    let device = Device::host_with_arrays_of_at_most(100);
    let mut sharded = Sharded::<u32, u32>::new(&[device], Config::new().with_batch_size(8)).unwrap();
    let others: Vec<u32> = (0..60).collect();
    sharded.insert(&others, &others).unwrap();
    let mut expected: Vec<(u32, u32)> = others.iter().map(|&key| (key, key)).collect();
    let check = |sharded: &Sharded<u32, u32>, expected: &[(u32, u32)]| {
        sharded.verify().unwrap();
        let found = sharded.range(&[0], &[u32::MAX]).unwrap();
        assert_eq!(found.entries().collect::<Vec<_>>(), expected);
        assert!(sharded.statistics().shards.iter().all(|shard| shard.statistics.entries <= 100));
    };
    for (key, many) in [(7, 101), (0, 250), (u32::MAX, 1000), (30, 99), (30, 100)] {
        let values: Vec<u32> = (0..many).collect();
        let keys = vec![key; values.len()];
        sharded.insert(&keys, &values).unwrap();
        expected.retain(|&(other, _)| other != key);
        expected.push((key, many - 1));
        expected.sort_unstable();
        check(&sharded, &expected);
        // The deletes come after the inserts.
        sharded.update(&keys, &values, &keys[..many as usize / 2]).unwrap();
        expected.retain(|&(other, _)| other != key);
        check(&sharded, &expected);
        let flags: Vec<u32> = (0..many).map(|i| (i + 1) % 2).collect();
        sharded
            .apply_columns(
                &keys[..many as usize / 2 * 2],
                &values[..many as usize / 2 * 2],
                &flags[..many as usize / 2 * 2],
            )
            .unwrap();
        expected.push((key, many / 2 * 2 - 1));
        expected.sort_unstable();
        check(&sharded, &expected);
        sharded.delete(&keys).unwrap();
        expected.retain(|&(other, _)| other != key);
        check(&sharded, &expected);
    }
}

/// Operations on two keys in turn, and a few on others, which one shard keeps.
#[test]
fn the_last_of_very_many_operations_on_each_key_counts() {
    let device = Device::host_with_arrays_of_at_most(100);
    let mut sharded = Sharded::<u32, u32>::new(&[device], Config::new().with_batch_size(8)).unwrap();
    let mut model = std::collections::BTreeMap::new();
    for turn in 0..6u32 {
        let mut batch = Batch::new();
        for i in 0..700 {
            let key = if i % 90 == 89 { i + turn } else { [1000, 5][(i % 2) as usize] };
            match (i + turn) % 3 {
                0 => batch.delete(key),
                _ => batch.insert(key, i + turn),
            }
            match (i + turn) % 3 {
                0 => model.remove(&key),
                _ => model.insert(key, i + turn),
            };
        }
        sharded.apply(&batch).unwrap();
        sharded.verify().unwrap();
        let found = sharded.range(&[0], &[u32::MAX]).unwrap();
        assert!(found.entries().eq(model.iter().map(|(&key, &value)| (key, value))), "turn {turn}");
    }
}

/// A range delete adds a tombstone for each entry that it deletes. All of a shard must still fit one array: otherwise a
/// query of all its keys would be refused.
#[test]
fn the_tombstones_of_a_range_delete_fit_too() {
    let device = Device::host_with_arrays_of_at_most(1000);
    let mut sharded = Sharded::<u32, u32>::new(&[device], Config::new().with_batch_size(400)).unwrap();
    let keys: Vec<u32> = (0..900).collect();
    sharded.insert(&keys, &keys).unwrap();
    let before = sharded.snapshot();
    sharded.delete_range(&[100, 500], &[400, 600]).unwrap();
    assert_eq!(sharded.range_in(..).unwrap().0.len(), 900 - 301 - 101);
    assert_eq!(before.range_in(..).unwrap().0, keys);
    sharded.verify().unwrap();
}

type Full = Sharded<u64, [u32; 4]>;

/// Where the second shard begins, which is small: it has room for tombstones.
const FEW_FROM: u64 = 1_000_000;

/// Two shards with these keys, with the smallest budget that they take.
fn full(keys: &[u64]) -> Full {
    let devices = [Device::host_with_arrays_of_at_most(100_000)];
    let sharding = Sharding::new().with_boundaries(&[FEW_FROM]);
    let mut full = Full::with_sharding(&devices, Config::new().with_batch_size(256), &sharding).unwrap();
    full.insert(keys, &vec![[7; 4]; keys.len()]).unwrap();
    assert_eq!(full.statistics().shards.len(), 2);
    let (mut refused, mut taken) = (0, 1 << 30);
    while refused + 1 < taken {
        let budget = (refused + taken) / 2;
        match full.set_byte_budget(Some(budget)) {
            Ok(()) => taken = budget,
            Err(_) => refused = budget,
        }
    }
    full.set_byte_budget(Some(taken)).unwrap();
    full
}

/// The parts of a shard need its size once more, for which a full dictionary has no room.
#[test]
fn deletes_that_would_split_a_full_shard_are_within_the_budget() {
    let keys: Vec<u64> = (0..60_000).map(|i| 2 * i).chain(FEW_FROM..FEW_FROM + 10).collect();
    let mut deleted: Vec<u64> = keys[..50_000].iter().map(|key| key + 1).collect();
    deleted.push(FEW_FROM + 3);
    let mut batch = Batch::new();
    deleted.iter().for_each(|&key| batch.delete(key));
    let check = |delete: &dyn Fn(&mut Full) -> Result<()>, is_left: &dyn Fn(u64) -> bool| {
        let mut full = full(&keys);
        delete(&mut full).unwrap();
        full.set_byte_budget(None).unwrap();
        full.verify().unwrap();
        assert!(full.statistics().shards.iter().all(|shard| shard.statistics.entries <= 100_000));
        let left: Vec<u64> = keys.iter().copied().filter(|&key| is_left(key)).collect();
        assert_eq!(full.range_in(..).unwrap().0, left);
    };
    check(&|full: &mut Full| full.delete(&deleted), &|key| key != FEW_FROM + 3);
    check(&|full: &mut Full| full.apply(&batch), &|key| key != FEW_FROM + 3);
    let by_buffers = |full: &mut Full| {
        let (device, all) = (full.devices().remove(0), deleted.len());
        let flags = device.upload(&vec![1u32; all])?;
        full.apply_columns(device.upload(&deleted)?, device.upload(&vec![[9; 4]; all])?, flags)
    };
    check(&by_buffers, &|key| key != FEW_FROM + 3);
    // Each interval ten times, so that there are more tombstones to be expected than the shard has room for.
    let lower = [10_000, 50_000, 90_000, FEW_FROM].repeat(10);
    let upper = [12_666, 52_666, 92_666, FEW_FROM + 5].repeat(10);
    let is_outside = |key| lower.iter().zip(&upper).all(|(&lower, &upper)| key < lower || upper < key);
    check(&|full: &mut Full| full.delete_range(&lower, &upper), &is_outside);
}

/// What a refused delete copies tells how often it was tried: as often as in a plain dictionary like the shard.
#[test]
fn a_delete_that_no_split_keeps_from_its_room_is_not_tried_again() {
    let (device, config) = (Device::host(), Config::new().with_batch_size(256));
    let keys: Vec<u64> = (0..20_000).collect();
    let both: Vec<u64> = keys.iter().flat_map(|&key| [key, FEW_FROM + key]).collect();
    let mut plain = Dictionary::build_set(&device, config, &keys).unwrap();
    let sharding = Sharding::new().with_boundaries(&[FEW_FROM]);
    let mut sharded =
        Sharded::<u64, ()>::with_sharding(&[device], config.with_batch_size(512), &sharding).unwrap();
    sharded.insert_keys(&both).unwrap();
    assert_eq!(sharded.statistics().shards.len(), 2);
    let _held = (plain.snapshot(), sharded.snapshot());
    for meter in [plain.meter(), sharded.meter()] {
        meter.set_budget(Some(meter.in_use() + 30_000));
    }
    let before = [plain.statistics().traffic.uploaded, sharded.statistics().traffic.uploaded];
    for refused in [plain.delete(&keys[..5000]), sharded.delete(&keys[..5000])] {
        let is_over_budget = matches!(refused, Err(Error::Backend(BackendError::OverBudget { .. })));
        assert!(is_over_budget, "{refused:?}");
    }
    let uploaded = [plain.statistics().traffic.uploaded, sharded.statistics().traffic.uploaded];
    assert!(uploaded[0] > before[0] + 40_000, "the keys and more");
    assert_eq!(uploaded[1] - before[1], uploaded[0] - before[0]);
}
