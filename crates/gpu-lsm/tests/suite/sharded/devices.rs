//! Several devices: threads of their own, moved shards, buffers, and lost ones.

use crate::on_every_device;
#[cfg(feature = "gpu")]
use gpu_lsm::Error;
use gpu_lsm::{Config, Device, Dictionary, Sharded, Sharding};

on_every_device!(
    a_host_device_beside_another_one_gives_the_same_answers,
    buffers_on_one_of_the_devices_are_taken_and_counted,
    one_shard_takes_buffers_without_a_copy_to_the_host,
    one_shard_takes_buffers_on_any_of_the_devices,
    shards_move_between_devices_and_stay_what_they_are,
);

const B: usize = 64;

fn keys(len: u32) -> Vec<u32> {
    (0..len).map(|i| i.wrapping_mul(0x9E37_79B1)).collect()
}

fn a_host_device_beside_another_one_gives_the_same_answers(device: &Device) {
    let devices = [Device::host_with_threads(1).unwrap(), device.clone()];
    let sharding = Sharding::new().with_shares(&[1.0, 1.0]);
    let config = Config::new().with_batch_size(B);
    let mut sharded = Sharded::<u32, u32>::with_sharding(&devices, config, &sharding).unwrap();
    let keys = keys(5000);
    for batch in keys.chunks(1000) {
        sharded.insert(batch, batch).unwrap();
    }
    sharded.delete(&keys[..100]).unwrap();
    let statistics = sharded.statistics();
    let on = |device| statistics.shards.iter().filter(|shard| shard.device == device).count();
    assert!(on(0) > 0 && on(1) > 0, "{statistics:?}");
    sharded.verify().unwrap();
    let plain = Dictionary::build(&Device::host(), config, &keys[100..], &keys[100..]).unwrap();
    assert_eq!(sharded.lookup(&keys).unwrap(), plain.lookup(&keys).unwrap());
    assert_eq!(sharded.range(&[7, 0], &[1 << 31, u32::MAX]), plain.range(&[7, 0], &[1 << 31, u32::MAX]));
    assert_eq!(sharded.predecessor(&keys), plain.predecessor(&keys));
}

fn buffers_on_one_of_the_devices_are_taken_and_counted(device: &Device) {
    let sharding = Sharding::new().with_boundaries(&[0, 1_000_000]);
    let config = Config::new().with_batch_size(B);
    let devices = [Device::host(), device.clone()];
    let mut sharded = Sharded::<i32, u32>::with_sharding(&devices, config, &sharding).unwrap();
    let keys: Vec<i32> = (-500..500).map(|i| i * 4000).collect();
    let values: Vec<u32> = (0..1000).collect();
    let there = (device.upload(&keys).unwrap(), device.upload(&values).unwrap());
    let before = sharded.statistics().traffic;
    sharded.insert(&there.0, &there.1).unwrap();
    let traffic = sharded.statistics().traffic.since(before);
    assert!(traffic.downloaded >= 8000, "both buffers are copied to the host: {traffic:?}");
    assert_eq!(sharded.lookup(&there.0).unwrap().values(), values);
    assert_eq!(sharded.count(&there.0, &there.0).unwrap(), vec![1; 1000]);
    sharded.delete(&there.0.slice(..10).unwrap()).unwrap();
    assert_eq!(sharded.first().unwrap(), Some((keys[10], 10)));
    sharded.delete_range(&there.0.slice(10..20).unwrap(), &there.0.slice(10..20).unwrap()).unwrap();
    assert_eq!(sharded.len().unwrap(), 980);
}

fn one_shard_takes_buffers_without_a_copy_to_the_host(device: &Device) {
    let mut sharded = Sharded::<u32, u32>::new(std::slice::from_ref(device), Config::new()).unwrap();
    let (keys, values) = (device.upload(&keys(1000)).unwrap(), device.upload(&keys(1000)).unwrap());
    sharded.insert(&keys, &values).unwrap();
    let traffic = sharded.statistics().traffic;
    assert!(traffic.uploaded < 1000 && traffic.downloaded < 1000, "{traffic:?}");
    assert_eq!(sharded.lookup(&keys).unwrap().values(), values.read().unwrap());
}

/// The only shard is on one of the devices, and each column may be on another.
fn one_shard_takes_buffers_on_any_of_the_devices(device: &Device) {
    let devices = [Device::host(), device.clone()];
    let mut sharded = Sharded::<u32, u32>::new(&devices, Config::new()).unwrap();
    for place in [0, 1, 0] {
        sharded.move_to(0, place).unwrap();
        for (one, other) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            takes_buffers(&mut sharded, &devices[one], &devices[other]);
            let shards = sharded.statistics().shards;
            assert_eq!((shards.len(), shards[0].device), (1, place));
        }
    }
}

/// Calls with columns on two devices. The dictionary is empty before and after.
fn takes_buffers(sharded: &mut Sharded<u32, u32>, one: &Device, other: &Device) {
    let (keys, values) = (keys(10), (100..110).collect::<Vec<u32>>());
    let (here, there) = (one.upload(&keys).unwrap(), other.upload(&keys).unwrap());
    let (values_there, no_deletes) = (other.upload(&values).unwrap(), other.upload(&[0u32; 10]).unwrap());
    sharded.insert(&here, &values_there).unwrap();
    for keys_in_buffer in [&here, &there] {
        assert_eq!(sharded.lookup(keys_in_buffer).unwrap().values(), values);
        assert_eq!(sharded.successor(keys_in_buffer).unwrap().keys(), keys);
        assert_eq!(sharded.predecessor(keys_in_buffer).unwrap().values(), values);
    }
    assert_eq!(sharded.count(&here, &there).unwrap(), [1; 10]);
    assert_eq!(sharded.range(&here, &there).unwrap().keys(), keys);
    assert_eq!(sharded.range_first(&there, &here, 2).unwrap().values(), values);
    sharded.delete(&there).unwrap();
    assert!(sharded.is_empty().unwrap());
    sharded.apply_columns(&here, &values_there, &no_deletes).unwrap();
    assert_eq!(sharded.lookup(&there).unwrap().values(), values);
    sharded.delete_range(&here, &there).unwrap();
    assert!(sharded.is_empty().unwrap());
}

fn shards_move_between_devices_and_stay_what_they_are(device: &Device) {
    let devices = [Device::host(), device.clone()];
    let config = Config::new().with_batch_size(B);
    let sharding = Sharding::new().with_boundaries(&[1 << 30, 1 << 31]).with_shares(&[1.0, 1.0]);
    let mut sharded = Sharded::<u32, u32>::with_sharding(&devices, config, &sharding).unwrap();
    let keys = keys(3000);
    for batch in keys.chunks(150) {
        sharded.insert(batch, batch).unwrap();
        sharded.delete(&batch[..50]).unwrap();
    }
    let all = sharded.range_in(..).unwrap();
    let levels = |sharded: &Sharded<u32, u32>, shard: usize| {
        let levels = &sharded.statistics().shards[shard].statistics.levels;
        levels.iter().map(|level| (level.level, level.entries, level.tombstones)).collect::<Vec<_>>()
    };
    for (shard, to) in [(0, 1), (1, 1), (0, 0), (1, 0), (1, 1)] {
        let before = levels(&sharded, shard);
        sharded.move_to(shard, to).unwrap();
        assert_eq!(levels(&sharded, shard), before);
        assert_eq!(sharded.statistics().shards[shard].device, to);
        sharded.verify().unwrap();
        assert_eq!(sharded.range_in(..).unwrap(), all);
    }
    sharded.insert(&keys, &keys).unwrap();
    assert_eq!(sharded.len().unwrap(), 3000);
}

/// The keys of a lost device are gone and named. Others can still be read and written.
#[cfg(feature = "gpu")]
#[test]
fn a_lost_gpu_takes_its_shards_with_it_and_no_others() {
    let devices = [Device::host(), crate::support::gpu()];
    let sharding = Sharding::new().with_boundaries(&[1000u32]).with_shares(&[1.0, 1.0]);
    let config = Config::new().with_batch_size(B);
    let mut sharded = Sharded::<u32, u32>::with_sharding(&devices, config, &sharding).unwrap();
    sharded.insert(&[1, 2, 3, 2001, 2002, 2003], &[1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(sharded.statistics().shards.iter().map(|shard| shard.device).collect::<Vec<_>>(), [0, 1]);
    assert!(sharded.lost_keys().is_empty());
    sharded.meter().fuse().lose_device_at(1);
    let is_lost = |result: gpu_lsm::Result<()>| match result {
        Err(Error::LostShards { keys, .. }) => assert_eq!(keys, format!("1000 to {}", u32::MAX)),
        other => panic!("{other:?}"),
    };
    is_lost(sharded.insert(&[5, 2005], &[5, 5]));
    is_lost(sharded.lookup(&[2001]).map(drop));
    is_lost(sharded.count(&[0], &[5000]).map(drop));
    is_lost(sharded.len().map(drop));
    is_lost(sharded.cleanup());
    assert_eq!(sharded.lost_keys(), [(1000, u32::MAX)]);
    assert_eq!(sharded.range_in(..1000).unwrap(), (vec![1, 2, 3], vec![1, 2, 3]), "5 was in no shard");
    sharded.insert(&[6], &[6]).unwrap();
    assert_eq!(sharded.get(6).unwrap(), Some(6));
}

#[test]
fn a_buffer_on_no_device_of_the_dictionary_is_refused() {
    // Host devices use each other's buffers.
    let mut sharded =
        Sharded::<u32, u32>::new(&[Device::host_with_threads(1).unwrap()], Config::new()).unwrap();
    let keys = Device::host().upload(&[1u32, 2]).unwrap();
    sharded.insert(&keys, &keys).unwrap();
    #[cfg(feature = "gpu")]
    {
        let elsewhere = crate::support::gpu().upload(&[1u32, 2]).unwrap();
        let refused = sharded.insert(&elsewhere, &elsewhere).unwrap_err();
        assert!(matches!(refused, Error::OtherDevice { .. }), "{refused}");
    }
    assert_eq!(sharded.len().unwrap(), 2);
}
