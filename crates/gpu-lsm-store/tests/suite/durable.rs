//! Durable dictionaries: updates, recovery, receipts, callers, checkpoints, and two writers.

use crate::memory::Memory;
use crate::save::assert_same;
use gpu_lsm::{Batch, Config, Device, Dictionary};
use gpu_lsm_store::{Durable, Error, Options, Result, Store};
use std::sync::Arc;
use std::time::Duration;

fn store() -> (Arc<Memory>, Store) {
    let memory = Memory::new();
    (Arc::clone(&memory), Store::over(memory))
}

fn options() -> Options {
    Options::new().with_config(Config::new().with_batch_size(16))
}

fn open(store: &Store) -> Durable<u32, u32> {
    store.write(&Device::host(), options()).unwrap()
}

fn batch(from: u32, len: u32) -> Batch<u32, u32> {
    (from..from + len).map(|i| (i, (i % 5 > 0).then_some(i * 10))).collect()
}

/// Waits for what happens in the background.
fn wait_until(is_so: impl Fn() -> bool) {
    let is_in_time = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        is_so()
    });
    assert!(is_in_time);
}

#[test]
fn every_operation_is_replayed_to_the_same_levels() {
    let (_, store) = store();
    let mut durable = open(&store);
    let mut twin =
        Dictionary::<u32, u32>::with_config(&Device::host(), Config::new().with_batch_size(16)).unwrap();
    for round in 0..30u32 {
        let keys: Vec<u32> = (0..20).map(|i| (i * 37 + round * 11) % 300).collect();
        let values: Vec<u32> = keys.iter().map(|key| key + round).collect();
        match round % 7 {
            0 | 4 => {
                durable.insert(&keys, &values).unwrap();
                twin.insert(&keys, &values).unwrap();
            }
            1 => {
                durable.update(&keys, &values, &keys[..9]).unwrap();
                twin.update(&keys, &values, &keys[..9]).unwrap();
            }
            2 => {
                durable.delete(&keys[..5]).unwrap();
                twin.delete(&keys[..5]).unwrap();
            }
            3 => {
                durable.apply(&batch(round * 9, 40)).unwrap();
                twin.apply(&batch(round * 9, 40)).unwrap();
            }
            5 => {
                durable.delete_range(&[round, 100], &[round + 30, 120]).unwrap();
                twin.delete_range(&[round, 100], &[round + 30, 120]).unwrap();
            }
            _ if round == 6 => {
                durable.clear().unwrap();
                twin.clear().unwrap();
            }
            _ => {
                durable.cleanup().unwrap();
                twin.cleanup().unwrap();
            }
        }
        if round % 10 == 9 {
            durable.checkpoint().unwrap();
        }
        assert_same(&durable, &twin);
        assert_same(&twin, &store.load::<u32, u32>(&Device::host()).unwrap());
    }
    drop(durable);
    assert_same(&twin, &open(&store));
}

#[test]
fn a_refused_update_changes_nothing() {
    let (memory, store) = store();
    let mut durable = open(&store);
    durable.insert(&[1], &[10]).unwrap();
    let records = memory.names("log").len();
    assert!(matches!(durable.insert(&[1, 2], &[10]), Err(Error::Dictionary(_))));
    assert!(matches!(durable.delete_range(&[1, 2], &[10]), Err(Error::Dictionary(_))));
    assert_eq!((durable.len().unwrap(), memory.names("log").len()), (1, records));
}

#[test]
fn large_batches_are_written_as_parts_and_collected_with_their_records() {
    let (memory, store) = store();
    let options = options().with_part_bytes(1000);
    let mut durable = store.write::<u32, u32>(&Device::host(), options).unwrap();
    durable.apply(&batch(0, 1000)).unwrap();
    assert!(memory.names("parts").len() > 10);
    let loaded = store.load::<u32, u32>(&Device::host()).unwrap();
    assert_same(&durable, &loaded);
    for _ in 0..2 {
        durable.checkpoint().unwrap();
    }
    durable.collect().unwrap();
    assert_eq!(memory.names("parts").len(), 0);
    assert_same(&durable, &store.load::<u32, u32>(&Device::host()).unwrap());
}

#[test]
fn receipts_resolve_in_order_and_waiting_batches_share_records() {
    let (memory, store) = store();
    let mut durable = open(&store);
    memory.delay(Duration::from_millis(50));
    let receipts: Vec<_> = (0..100).map(|i| durable.submit(batch(i * 7, 20)).unwrap()).collect();
    let numbers: Vec<u64> = receipts.iter().map(|receipt| receipt.wait().unwrap()).collect();
    assert!(numbers.is_sorted());
    assert!(memory.names("log").len() < 60, "{} records", memory.names("log").len());
    durable.flush().unwrap();
    assert_same(&durable, &durable.durable());
    assert_same(&durable, &store.load::<u32, u32>(&Device::host()).unwrap());
}

#[test]
fn a_delay_collects_batches() {
    let (memory, store) = store();
    let options = options().with_group(1 << 20, Duration::from_millis(200));
    let mut durable = store.write::<u32, u32>(&Device::host(), options).unwrap();
    let before = memory.names("log").len();
    let receipts: Vec<_> = (0..5).map(|i| durable.submit(batch(i, 3)).unwrap()).collect();
    let numbers: Vec<u64> = receipts.iter().map(|receipt| receipt.wait().unwrap()).collect();
    assert_eq!(memory.names("log").len(), before + 1);
    assert_eq!(numbers, [numbers[0]; 5]);
}

/// More in flight than the option allows is not accepted.
#[test]
fn bytes_in_flight_are_bounded() {
    let (memory, store) = store();
    let options = options().with_in_flight(2, 2000);
    let mut durable = store.write::<u32, u32>(&Device::host(), options).unwrap();
    memory.delay(Duration::from_millis(3));
    for i in 0..20 {
        let receipt = durable.submit(batch(i, 60)).unwrap();
        drop(receipt);
    }
    durable.flush().unwrap();
    assert_same(&durable, &store.load::<u32, u32>(&Device::host()).unwrap());
}

#[test]
fn a_numbered_batch_is_applied_once() {
    let (_, store) = store();
    let mut durable = open(&store);
    let write = |durable: &mut Durable<u32, u32>, caller: &str, number, from| -> Result<u64> {
        durable.submit_once(caller, number, batch(from, 3))?.wait()
    };
    let first = write(&mut durable, "a", 1, 0).unwrap();
    assert_eq!(write(&mut durable, "a", 1, 0), Ok(first));
    let other = Error::OtherBatch { caller: "a".into(), number: 1 };
    assert_eq!(write(&mut durable, "a", 1, 9), Err(other));
    let gap = |number, expected| Error::OutOfOrder { caller: "a".into(), number, expected };
    assert_eq!(write(&mut durable, "a", 3, 0), Err(gap(3, 2)));
    write(&mut durable, "b", 1, 100).unwrap();
    write(&mut durable, "a", 2, 50).unwrap();
    assert_eq!(write(&mut durable, "a", 1, 0), Err(gap(1, 3)));
    let before = durable.durable();
    for is_checkpointed in [false, true] {
        if is_checkpointed {
            durable.checkpoint().unwrap();
        }
        drop(durable);
        durable = open(&store);
        assert_eq!((durable.last_of("a"), durable.last_of("b"), durable.last_of("c")), (2, 1, 0));
        write(&mut durable, "a", 2, 50).unwrap();
        assert_eq!(write(&mut durable, "a", 2, 51), Err(Error::OtherBatch { caller: "a".into(), number: 2 }));
        assert_same(&before, &durable);
    }
}

#[test]
fn checkpoints_happen_by_themselves_and_bound_the_log() {
    let (memory, store) = store();
    let options = options().with_checkpoint_bytes(4000);
    let mut durable = store.write::<u32, u32>(&Device::host(), options).unwrap();
    for i in 0..200 {
        durable.apply(&batch(i * 13, 20)).unwrap();
    }
    durable.checkpoint().unwrap();
    durable.checkpoint().unwrap();
    durable.collect().unwrap();
    let fences = 1;
    assert_eq!(memory.names("log").len(), fences, "the log is part of the last versions");
    assert_eq!(store.versions().unwrap().len(), 1);
    assert_same(&durable, &store.load::<u32, u32>(&Device::host()).unwrap());
    assert_eq!(memory.names("runs").len(), durable.runs().unwrap().len());
}

#[test]
fn checkpoints_after_each_batch_end_when_nothing_is_written() {
    let (memory, store) = store();
    let options = options().with_checkpoint_bytes(0);
    let mut durable = store.write::<u32, u32>(&Device::host(), options).unwrap();
    let newest = || store.versions().unwrap().last().map(|info| info.version);
    durable.insert(&[1], &[10]).unwrap();
    wait_until(|| newest().is_some());
    let (version, objects) = (newest(), memory.created());
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!((newest(), memory.created()), (version, objects));
    durable.clear().unwrap();
    wait_until(|| newest() > version);
}

#[test]
fn parts_count_as_log_when_a_store_is_opened() {
    let (memory, store) = store();
    let options = options().with_checkpoint_bytes(30_000).with_part_bytes(5000);
    let keys: Vec<u32> = (0..1000).collect();
    for session in 0..20 {
        let mut durable = store.write::<u32, u32>(&Device::host(), options.clone()).unwrap();
        durable.insert(&keys, &vec![session; 1000]).unwrap();
        if session == 0 {
            let parts = memory.created_in("parts");
            assert!((8000..20_000).contains(&parts), "{parts}");
            assert_eq!(store.info().unwrap().log, (2, memory.created_in("log") + parts));
        }
    }
    wait_until(|| !store.versions().unwrap().is_empty());
}

#[test]
fn a_checkpoint_without_changes_writes_only_a_manifest() {
    let (memory, store) = store();
    let mut durable = open(&store);
    durable.apply(&batch(0, 500)).unwrap();
    durable.checkpoint().unwrap();
    let objects = memory.created();
    durable.checkpoint().unwrap();
    assert_eq!(memory.created(), objects + 1);
}

#[test]
fn versions_are_retained_as_asked() {
    let (_, store) = store();
    let options = options().with_versions(3);
    let mut durable = store.write::<u32, u32>(&Device::host(), options).unwrap();
    let mut states = Vec::new();
    for i in 0..6 {
        durable.apply(&batch(i * 50, 50)).unwrap();
        states.push((durable.checkpoint().unwrap(), durable.durable()));
    }
    durable.collect().unwrap();
    let versions: Vec<_> = store.versions().unwrap().iter().map(|info| info.version).collect();
    assert_eq!(versions, states[3..].iter().map(|(version, _)| *version).collect::<Vec<_>>());
    for (version, state) in &states[3..] {
        assert_same(state, &store.load_version::<u32, u32>(&Device::host(), *version).unwrap());
    }
    let error = store.load_version::<u32, u32>(&Device::host(), states[0].0).unwrap_err();
    assert_eq!(error, Error::NoSuchVersion { version: states[0].0 });
}

#[test]
fn of_two_writers_the_later_wins() {
    let (_, store) = store();
    let mut first = open(&store);
    first.insert(&[1], &[10]).unwrap();
    let mut second = open(&store);
    let error = first.insert(&[2], &[20]).unwrap_err();
    assert!(matches!(error, Error::Fenced { .. }), "{error}");
    assert_eq!((first.get(1).unwrap(), first.get(2).unwrap()), (Some(10), None));
    assert!(matches!(first.checkpoint(), Err(Error::Fenced { .. })));
    assert!(matches!(first.insert(&[3], &[30]), Err(Error::Fenced { .. })));
    second.insert(&[4], &[40]).unwrap();
    let state = store.load::<u32, u32>(&Device::host()).unwrap();
    assert_eq!(state.lookup(&[1, 2, 3, 4]).unwrap().to_vec(), [Some(10), None, None, Some(40)]);
    store.save(&state).unwrap();
    assert!(matches!(second.insert(&[5], &[50]), Err(Error::Fenced { .. })));
}

/// Fences are never collected.
#[test]
fn every_opening_leaves_one_small_object() {
    let (memory, store) = store();
    for i in 0..50 {
        let mut durable = open(&store);
        durable.insert(&[i], &[i]).unwrap();
    }
    let mut durable = open(&store);
    for _ in 0..2 {
        durable.checkpoint().unwrap();
    }
    durable.collect().unwrap();
    assert_eq!(durable.len().unwrap(), 50);
    assert_eq!(memory.names("log").len(), 51, "fences stay");
    let bytes: usize = memory.names("log").iter().map(|name| memory.get(name).unwrap().len()).sum();
    assert!(bytes < 51 * 150, "{bytes}");
}

#[test]
fn a_receipt_can_be_awaited_in_another_runtime() {
    let (_, store) = store();
    let mut durable = open(&store);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        durable.submit(batch(0, 9)).unwrap().await.unwrap();
        durable.insert(&[100], &[1]).unwrap();
    });
    assert_eq!(store.load::<u32, u32>(&Device::host()).unwrap().get(100).unwrap(), Some(1));
}
