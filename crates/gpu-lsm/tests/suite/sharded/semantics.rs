//! What sharded dictionaries promise beyond the answers of plain ones.

use super::twins::{Twins, compare, compare_scans};
use crate::on_every_device;
use crate::support::{random_operations, rng};
use gpu_lsm::{BackendError, Config, Device, Error, Morton, ShardRuns, Sharded, Sharding};

on_every_device!(
    any_number_of_shards_gives_the_same_answers,
    boundaries_come_from_the_first_batch_or_are_given,
    keys_at_boundaries_and_at_the_ends_of_the_domain_have_a_shard,
    a_snapshot_is_of_one_moment_over_all_shards,
    a_fork_goes_its_own_way,
    a_range_delete_reaches_over_all_shards,
    a_neighbour_may_be_many_empty_shards_away,
    tombstones_do_not_outlive_the_entries_of_their_part,
    what_was_dead_in_one_part_is_not_dead_in_a_joined_shard,
    rectangles_reach_over_shards,
    impossible_options_are_typed_errors,
    shares_may_be_as_large_as_numbers_are,
    a_byte_budget_is_that_of_all_shards,
    a_scan_of_all_shards_counts_what_it_collects,
    runs_of_shards_are_taken_only_if_the_budget_lets_all_be_deleted,
);

const B: usize = 64;

fn config() -> Config {
    Config::new().with_batch_size(B)
}

fn with_boundaries(device: &Device, boundaries: &[u32]) -> Sharded<u32, u32> {
    let sharding = Sharding::new().with_boundaries(boundaries);
    Sharded::with_sharding(std::slice::from_ref(device), config(), &sharding).unwrap()
}

fn any_number_of_shards_gives_the_same_answers(device: &Device) {
    for shards in [1, 2, 3, 7] {
        let sharding = Sharding::new().with_shards(shards);
        let mut twins = Twins::<u32, u32>::new(std::slice::from_ref(device), B, &sharding);
        for step in 0..8 {
            let operations = random_operations(&mut rng(step), 500, 3000, 0.3);
            let case = format!("{shards} shards, step {step}");
            twins.apply(&operations, step as u32 % 3, &case);
            let keys: Vec<u32> = operations.iter().map(|operation| operation.0).collect();
            let bounds = (&keys[..100], &keys[100..200]);
            compare(&*twins.plain, &*twins.sharded, &keys, bounds, &[0, 3], &case);
            compare_scans(&*twins.plain, &*twins.sharded, 77, &case);
        }
        assert!(twins.sharded.statistics().shards.len() >= shards);
    }
}

fn boundaries_come_from_the_first_batch_or_are_given(device: &Device) {
    let sharding = Sharding::new().with_shards(4);
    let mut sharded =
        Sharded::<u32, u32>::with_sharding(std::slice::from_ref(device), config(), &sharding).unwrap();
    let keys: Vec<u32> = (0..4000).map(|i| i * 7919 % 4000 + 1_000_000).collect();
    sharded.insert(&keys, &keys).unwrap();
    let shards = sharded.statistics().shards;
    assert_eq!(shards.len(), 4);
    assert!(shards.iter().all(|shard| (900..=1100).contains(&shard.statistics.entries)), "{shards:?}");
    assert_eq!((shards[0].first, shards[3].last), (0, u32::MAX));
    assert!(shards.windows(2).all(|pair| pair[0].last + 1 == pair[1].first));

    let given = with_boundaries(device, &[500, 10, 500, 0]);
    let firsts: Vec<u32> = given.statistics().shards.iter().map(|shard| shard.first).collect();
    assert_eq!(firsts, [0, 10, 500], "sorted, each once, and the smallest key is always one");
}

fn keys_at_boundaries_and_at_the_ends_of_the_domain_have_a_shard(device: &Device) {
    let mut sharded = with_boundaries(device, &[1, 1000, u32::MAX]);
    let keys = [0, 1, 2, 999, 1000, 1001, u32::MAX - 1, u32::MAX];
    sharded.insert(&keys, &keys).unwrap();
    sharded.verify().unwrap();
    assert_eq!(sharded.lookup(&keys).unwrap().values(), keys);
    let entries: Vec<u64> =
        sharded.statistics().shards.iter().map(|shard| shard.statistics.entries).collect();
    assert_eq!(entries, [1, 3, 3, 1]);
    assert_eq!(sharded.count(&[0, 1, 999, 5], &[u32::MAX, 999, 1000, 4]).unwrap(), [8, 3, 2, 0]);
    assert_eq!(sharded.range_in(1..=1000).unwrap().0, [1, 2, 999, 1000]);
}

fn a_snapshot_is_of_one_moment_over_all_shards(device: &Device) {
    let mut sharded = with_boundaries(device, &[100, 200]);
    sharded.insert(&[50, 150, 250], &[1, 2, 3]).unwrap();
    let before = sharded.snapshot();
    sharded.update(&[60, 160, 260], &[4, 5, 6], &[50, 150, 250]).unwrap();
    sharded.join_at(0).unwrap();
    sharded.split_at(155).unwrap();
    assert_eq!(before.range_in(..).unwrap(), (vec![50, 150, 250], vec![1, 2, 3]));
    assert_eq!(sharded.range_in(..).unwrap(), (vec![60, 160, 260], vec![4, 5, 6]));
    sharded.clear().unwrap();
    assert_eq!((before.len().unwrap(), sharded.len().unwrap()), (3, 0));
    before.verify().unwrap();
}

fn a_fork_goes_its_own_way(device: &Device) {
    let mut sharded = with_boundaries(device, &[100, 200]);
    sharded.insert(&[50, 150, 250], &[1, 2, 3]).unwrap();
    let mut fork = sharded.fork();
    fork.delete(&[150]).unwrap();
    sharded.insert(&[160], &[4]).unwrap();
    assert_eq!(fork.range_in(..).unwrap().0, [50, 250]);
    assert_eq!(sharded.range_in(..).unwrap().0, [50, 150, 160, 250]);
    assert!(fork.statistics().bytes_in_use < sharded.statistics().bytes_in_use, "each counts what it made");
    fork.verify().unwrap();
    sharded.verify().unwrap();
}

fn a_range_delete_reaches_over_all_shards(device: &Device) {
    let mut sharded = with_boundaries(device, &[100, 200, 300]);
    let keys: Vec<u32> = (0..400).collect();
    sharded.insert(&keys, &keys).unwrap();
    sharded.delete_range(&[50, 390, 20], &[350, 1000, 10]).unwrap();
    let left: Vec<u32> = (0..50).chain(351..390).collect();
    assert_eq!(sharded.range_in(..).unwrap().0, left);
    sharded.delete_in(..=360).unwrap();
    assert_eq!(sharded.len().unwrap(), 29);
}

fn a_neighbour_may_be_many_empty_shards_away(device: &Device) {
    let mut sharded = with_boundaries(device, &[100, 200, 300, 400]);
    sharded.insert(&[5, 450], &[1, 2]).unwrap();
    assert_eq!(sharded.successor(&[6, 250, 451]).unwrap().to_vec(), [Some((450, 2)), Some((450, 2)), None]);
    assert_eq!(sharded.predecessor(&[449, 150, 4]).unwrap().to_vec(), [Some((5, 1)), Some((5, 1)), None]);
    assert_eq!(sharded.range_first(&[0], &[500], 2).unwrap().keys(), [5, 450]);
    assert_eq!(sharded.range_after(&[5], &[450], 9).unwrap().keys(), [450]);
}

/// The oldest run has nothing in the upper part, so the tombstones there hide nothing and must go.
fn tombstones_do_not_outlive_the_entries_of_their_part(device: &Device) {
    let mut sharded = Sharded::<u32, u32>::new(std::slice::from_ref(device), config()).unwrap();
    let keys: Vec<u32> = (0..4 * B as u32).collect();
    sharded.insert(&keys, &keys).unwrap();
    sharded.delete(&[3, 1000, 1001]).unwrap();
    assert_eq!(sharded.statistics().tombstones, 3);
    sharded.split_at(900).unwrap();
    sharded.verify().unwrap();
    let shards = sharded.statistics().shards;
    assert_eq!((shards[0].statistics.tombstones, shards[1].statistics.entries), (1, 0));
    assert_eq!(sharded.len().unwrap(), 4 * B as u64 - 1);
}

/// A search that finds nothing up to the end of a part remembers that. After a join the end is elsewhere.
fn what_was_dead_in_one_part_is_not_dead_in_a_joined_shard(device: &Device) {
    let mut sharded = with_boundaries(device, &[1000]);
    let keys: Vec<u32> = (0..4 * B as u32).collect();
    sharded.insert(&keys, &keys).unwrap();
    sharded.delete_range(&[10], &[999]).unwrap();
    sharded.insert(&[2000], &[7]).unwrap();
    assert_eq!(sharded.successor(&[10]).unwrap().get(0), Some((2000, 7)));
    assert_eq!(sharded.predecessor(&[1999]).unwrap().get(0), Some((9, 9)));
    sharded.join_at(0).unwrap();
    assert_eq!(sharded.successor(&[10]).unwrap().get(0), Some((2000, 7)));
    sharded.insert(&[1500], &[8]).unwrap();
    sharded.split_at(1200).unwrap();
    assert_eq!(sharded.successor(&[10, 1501]).unwrap().keys(), [1500, 2000]);
    assert_eq!(sharded.predecessor(&[1499]).unwrap().keys(), [9]);
}

fn rectangles_reach_over_shards(device: &Device) {
    crate::support::wide(device, || {
        let points: Vec<Morton> = (0..400).map(|i| Morton { x: i % 20, y: i / 20 }).collect();
        let values: Vec<u32> = (0..400).collect();
        let sharding = Sharding::new().with_boundaries(&[points[150], points[299]]);
        let mut sharded = Sharded::with_sharding(std::slice::from_ref(device), config(), &sharding).unwrap();
        sharded.insert(&points, &values).unwrap();
        let (lower, upper) = ([Morton { x: 3, y: 5 }], [Morton { x: 12, y: 17 }]);
        let plain = gpu_lsm::Dictionary::build(device, config(), &points, &values).unwrap();
        let found = sharded.rectangles(&lower, &upper).unwrap();
        assert_eq!(found, plain.rectangles(&lower, &upper).unwrap());
        assert_eq!(found.keys().len(), 130);
    });
}

fn impossible_options_are_typed_errors(device: &Device) {
    let devices = [device.clone(), device.clone()];
    assert_eq!(Sharded::<u32, u32>::new(&[], config()).err(), Some(Error::NoDevices));
    let zero = Config::new().with_batch_size(0);
    assert_eq!(Sharded::<u32, u32>::new(&devices, zero).err(), Some(Error::ZeroBatchSize));
    for shares in [&[1.0][..], &[1.0, 0.0], &[f64::NAN, 1.0], &[1.0, f64::INFINITY]] {
        let sharding = Sharding::new().with_shares(shares);
        let refused = Sharded::<u32, u32>::with_sharding(&devices, config(), &sharding).err();
        assert_eq!(refused, Some(Error::Shares { devices: 2, shares: shares.len() }));
    }
    let mut sharded = with_boundaries(device, &[100]);
    let unequal = sharded.insert(&[1, 2], &[1]).err();
    assert_eq!(unequal, Some(Error::UnequalColumns { keys: 2, values: 1 }));
    let unequal = sharded.count(&[1, 2], &[1]).err();
    assert_eq!(unequal, Some(Error::UnequalBounds { lower: 2, upper: 1 }));
    assert_eq!(sharded.delete_range(&[1, 2], &[1]).err(), unequal);
    assert!(sharded.is_empty().unwrap());
}

/// The sum of the first pair is infinite.
fn shares_may_be_as_large_as_numbers_are(device: &Device) {
    let devices = [device.clone(), device.clone()];
    for shares in [[1e308, 1e308], [1e-320, 1e-320], [5.0, 5.0]] {
        let sharding = Sharding::new().with_shares(&shares).with_boundaries(&[1 << 31]);
        let sharded = Sharded::<u32, u32>::with_sharding(&devices, config(), &sharding).unwrap();
        let places: Vec<usize> = sharded.statistics().shards.iter().map(|shard| shard.device).collect();
        assert_eq!(places, [0, 1], "{shares:?}");
    }
}

/// Inserts are refused early enough that everything can still be deleted, in all shards at once.
fn a_byte_budget_is_that_of_all_shards(device: &Device) {
    let budget = 800_000;
    let sharding = Sharding::new().with_shards(4);
    let config = config().with_byte_budget(budget);
    let mut sharded =
        Sharded::<u32, u32>::with_sharding(std::slice::from_ref(device), config, &sharding).unwrap();
    let mut keys: Vec<u32> = Vec::new();
    let refusal = loop {
        let more: Vec<u32> = (0..1000).map(|i| (keys.len() as u32 + i).wrapping_mul(0x9E37_79B1)).collect();
        match sharded.insert(&more, &more) {
            Ok(()) => keys.extend(more),
            Err(error) => break error,
        }
    };
    assert!(matches!(refusal, Error::Backend(BackendError::OverBudget { .. })), "{refusal}");
    assert!(keys.len() > 5000, "{}", keys.len());
    assert!(sharded.statistics().peak_bytes <= budget);
    assert_eq!(sharded.len().unwrap(), keys.len() as u64);
    assert!(sharded.set_byte_budget(Some(1000)).is_err());
    for part in keys.chunks(4000) {
        sharded.delete(part).unwrap();
    }
    assert!(sharded.is_empty().unwrap());
    sharded.set_byte_budget(None).unwrap();
    sharded.insert(&keys, &keys).unwrap();
    assert_eq!(sharded.config().byte_budget(), None);
}

/// There is room for the entries of each shard, but not for all together.
fn a_scan_of_all_shards_counts_what_it_collects(device: &Device) {
    let mut sharded = with_boundaries(device, &[1000, 2000, 3000, 4000, 5000, 6000, 7000]);
    let keys: Vec<u32> = (0..8000).collect();
    sharded.insert(&keys, &keys).unwrap();
    let entries = 8 * keys.len() as u64;
    sharded.meter().set_budget(Some(sharded.statistics().bytes_in_use + entries * 5 / 8));
    let refused = [sharded.scan(u32::MAX).next().expect("a chunk").map(drop), sharded.range_in(..).map(drop)];
    for refused in refused.map(|result| result.expect_err("all entries")) {
        assert!(matches!(refused, Error::Backend(BackendError::OverBudget { .. })), "{refused}");
    }
    let chunks = sharded.scan(1500).map(|chunk| chunk.unwrap().0);
    assert_eq!(chunks.flatten().collect::<Vec<_>>(), keys);
}

/// Each shard was compared with the budget by itself.
fn runs_of_shards_are_taken_only_if_the_budget_lets_all_be_deleted(device: &Device) {
    let (devices, sharding) = (std::slice::from_ref(device), Sharding::new().with_shards(4));
    let mut sharded = Sharded::<u32, u32>::with_sharding(devices, config(), &sharding).unwrap();
    let keys: Vec<u32> = (0..8000u32).map(|i| i.wrapping_mul(0x9E37_79B1)).collect();
    sharded.insert(&keys, &keys).unwrap();
    let before = sharded.snapshot();
    let (mut refused, mut taken) = (0, 0);
    for budget in (1..=16).map(|i| i * 75_000) {
        let shards = before.shards().map(|(first, state)| {
            let runs = state.runs().unwrap().into_iter();
            let runs = runs.map(|run| Ok((run.level, state.run_columns(run.id)?.unwrap())));
            ShardRuns { first, entries: state.statistics().entries, runs }
        });
        let config = config().with_batch_size(B / 4).with_byte_budget(budget);
        let loaded = Sharded::from_runs(devices, config, &sharding, shards.collect());
        let is_enough = sharded.set_byte_budget(Some(budget)).is_ok();
        sharded.set_byte_budget(None).unwrap();
        match loaded {
            Ok(mut loaded) => {
                assert!(is_enough, "{budget}");
                loaded.delete_range(&[0], &[u32::MAX]).unwrap();
                assert!(loaded.is_empty().unwrap());
                taken += 1;
            }
            Err(error) => {
                assert!(matches!(error, Error::Backend(BackendError::OverBudget { .. })), "{error}");
                refused += u32::from(!is_enough);
            }
        }
    }
    assert!(refused > 0 && taken > 0, "{refused} refused, {taken} taken");
}
