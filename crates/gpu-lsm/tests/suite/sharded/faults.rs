//! Nothing is left half-done: every allocation, launch and read-back of a call fails once, in whichever shard, and
//! nothing has changed anywhere.

use crate::on_every_device;
use crate::support::{batch, random_operations, rng};
use gpu_lsm::{BackendError, Config, Device, Error, Sharded, Sharding};

on_every_device!(
    an_update_of_all_shards_fails_whole,
    a_range_delete_and_a_cleanup_of_all_shards_fail_whole,
    a_first_batch_that_makes_shards_fails_whole,
    an_update_that_splits_joins_and_moves_shards_fails_whole,
    queries_of_all_shards_fail_whole,
);

type Case = Sharded<u32, u32>;

/// Three shards, on two devices, each with several runs and tombstones.
fn filled(device: &Device) -> Case {
    let third = u32::MAX / 3;
    let sharding = Sharding::new().with_boundaries(&[third, 2 * third]);
    let devices = [device.clone(), device.clone()];
    let mut sharded = Sharded::with_sharding(&devices, config(), &sharding).unwrap();
    for (step, len) in [600, 60, 25].into_iter().enumerate() {
        sharded.apply(&batch(&random_operations(&mut rng(step as u64), len, 2000, 0.3))).unwrap();
    }
    assert!(sharded.statistics().shards.iter().all(|shard| shard.statistics.levels.len() > 1));
    sharded
}

fn config() -> Config {
    Config::new().with_batch_size(48)
}

fn an_update_of_all_shards_fails_whole(device: &Device) {
    let operations = batch(&random_operations(&mut rng(9), 100, 2000, 0.3));
    fails_whole(device, || filled(device), |sharded| sharded.apply(&operations));
    let keys: Vec<u32> = (0..40).map(|i| i * (u32::MAX / 40)).collect();
    fails_whole(device, || filled(device), |sharded| sharded.update(&keys, &keys, &keys[..9]));
}

fn a_range_delete_and_a_cleanup_of_all_shards_fail_whole(device: &Device) {
    fails_whole(device, || filled(device), |sharded| sharded.delete_range(&[0], &[u32::MAX - 5]));
    fails_whole(device, || filled(device), Case::cleanup);
}

fn a_first_batch_that_makes_shards_fails_whole(device: &Device) {
    let empty = || {
        let sharding = Sharding::new().with_shards(3);
        Sharded::with_sharding(&[device.clone(), device.clone()], config(), &sharding).unwrap()
    };
    let keys: Vec<u32> = (0..300).map(|i: u32| i.wrapping_mul(0x9E37_79B1)).collect();
    fails_whole(device, empty, |sharded| sharded.insert(&keys, &keys));
}

/// Most entries come to one shard: it is split, the others are joined, and some go to the other device.
fn an_update_that_splits_joins_and_moves_shards_fails_whole(device: &Device) {
    let keys: Vec<u32> = (0..900).collect();
    let shards = |sharded: &Case| {
        let shards = sharded.statistics().shards;
        shards.iter().map(|shard| (shard.first, shard.device)).collect::<Vec<_>>()
    };
    let mut sharded = filled(device);
    let before = shards(&sharded);
    sharded.insert(&keys, &keys).unwrap();
    assert_ne!(shards(&sharded), before, "the case is one of reshaping");
    fails_whole(device, || filled(device), |sharded| sharded.insert(&keys, &keys));
    fails_whole(device, || filled(device), |sharded| sharded.join_at(1));
    fails_whole(device, || filled(device), |sharded| sharded.split_at(77_777));
    fails_whole(device, || filled(device), |sharded| sharded.move_to(0, 1));
}

fn queries_of_all_shards_fail_whole(device: &Device) {
    let keys: Vec<u32> = (0..40).map(|i| i * (u32::MAX / 40)).collect();
    let upper = vec![u32::MAX; 40];
    fails_whole(device, || filled(device), |sharded| sharded.lookup(&keys).map(drop));
    fails_whole(device, || filled(device), |sharded| sharded.count(&keys, &upper).map(drop));
    fails_whole(device, || filled(device), |sharded| sharded.range(&keys, &upper).map(drop));
    fails_whole(device, || filled(device), |sharded| sharded.range_first(&keys, &upper, 3).map(drop));
    fails_whole(device, || filled(device), |sharded| sharded.predecessor(&keys).map(drop));
    fails_whole(
        device,
        || filled(device),
        |sharded| sharded.scan(70).find_map(Result::err).map_or(Ok(()), Err),
    );
}

/// The shards with their levels, and all entries.
fn state(sharded: &Case) -> (Vec<String>, u64, (Vec<u32>, Vec<u32>)) {
    sharded.verify().unwrap();
    sharded.len().unwrap();
    let statistics = sharded.statistics();
    let shard = |shard: &gpu_lsm::ShardStatistics<u32>| {
        format!("{:?}", (shard.first, shard.last, shard.device, &shard.statistics.levels))
    };
    let shards = statistics.shards.iter().map(shard).collect();
    (shards, statistics.bytes_in_use, sharded.range_in(..).unwrap())
}

/// For every k: the call fails with a typed error, and nothing has changed in any shard.
fn fails_whole(device: &Device, filled: impl Fn() -> Case, call: impl Fn(&mut Case) -> gpu_lsm::Result<()>) {
    let before = state(&filled());
    // On a GPU not every call fails: there are hundreds, of the same few kinds.
    for k in (1..).step_by(if device.is_host() { 1 } else { 23 }) {
        let mut sharded = filled();
        sharded.meter().fuse().fail_at(k);
        let result = call(&mut sharded);
        if sharded.meter().fuse().is_armed() {
            sharded.meter().fuse().fail_at(0);
            result.expect("no call failed");
            assert!(k > 5, "the hook was never reached");
            return;
        }
        let error = result.expect_err("a failure is reported");
        let is_injected = match &error {
            Error::Backend(BackendError::OutOfMemory { .. }) => true,
            Error::Backend(BackendError::Failed { message }) => message.contains("injected"),
            _ => false,
        };
        assert!(is_injected, "call {k}: {error}");
        assert_eq!(state(&sharded), before, "call {k}");
        sharded.insert(&[1, u32::MAX], &[1, 2]).unwrap();
        assert_eq!(sharded.lookup(&[1, u32::MAX]).unwrap().values(), [1, 2], "after call {k}");
    }
}
