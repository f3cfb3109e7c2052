//! Snapshots: later updates do not affect them, and other threads can read them while the dictionary is updated.

use crate::on_every_device;
use crate::support::{Pair, random_operations, rng, spread};
use gpu_lsm::{Device, Snapshot};
use std::collections::BTreeMap;
use std::sync::mpsc;

on_every_device!(
    a_snapshot_stays_as_it_was,
    eight_readers_check_their_snapshots_while_a_writer_applies_1000_batches,
    memory_is_given_back_with_the_last_snapshot,
);

#[test]
fn a_snapshot_can_be_sent_shared_and_kept() {
    fn assert_traits<T: Clone + Send + Sync + 'static>() {}
    assert_traits::<Snapshot<u32, u32>>();
}

fn a_snapshot_stays_as_it_was(device: &Device) {
    let mut pair = Pair::<u32, u32>::new(device, 64);
    let mut kept = Vec::new();
    for step in 0..12 {
        pair.apply(&random_operations(&mut rng(step), 200, 800, 0.3));
        if step % 4 == 3 {
            pair.dictionary.cleanup().unwrap();
        }
        kept.push((pair.dictionary.snapshot(), pair.model.clone()));
        for (snapshot, model) in &kept {
            check(snapshot, model);
        }
    }
}

fn check(snapshot: &Snapshot<u32, u32>, model: &BTreeMap<u32, u32>) {
    let all = snapshot.range(&[0], &[u32::MAX]).unwrap();
    assert!(all.keys().iter().zip(all.values()).eq(model), "every entry, in order");
    assert_eq!(snapshot.count(&[1 << 31], &[u32::MAX]).unwrap(), [model.range(1 << 31..).count() as u64]);
    let keys: Vec<u32> = (0..100).map(spread).collect();
    assert!(snapshot.lookup(&keys).unwrap().iter().eq(keys.iter().map(|key| model.get(key).copied())));
}

fn eight_readers_check_their_snapshots_while_a_writer_applies_1000_batches(device: &Device) {
    let mut pair = Pair::<u32, u32>::new(device, 32);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..8)
            .map(|_| {
                let (sender, receiver) = mpsc::sync_channel::<(Snapshot<u32, u32>, BTreeMap<u32, u32>)>(1);
                scope.spawn(move || {
                    for (snapshot, model) in receiver {
                        check(&snapshot, &model);
                    }
                });
                sender
            })
            .collect();
        let mut rng = rng(1);
        for step in 0..1000 {
            pair.apply(&random_operations(&mut rng, 20, 500, 0.4));
            if step % 50 == 49 {
                pair.dictionary.cleanup().unwrap();
            }
            if step % 20 == 0 {
                let message = (pair.dictionary.snapshot(), pair.model.clone());
                readers[step / 20 % 8].send(message).expect("the reader lives");
            }
        }
    });
    pair.check_all("after all batches");
}

fn memory_is_given_back_with_the_last_snapshot(device: &Device) {
    let mut pair = Pair::<u32, u32>::new(device, 64);
    pair.apply(&random_operations(&mut rng(1), 3000, 10_000, 0.0));
    let first = pair.dictionary.snapshot();
    let second = first.clone();
    pair.dictionary.delete_range(&[0], &[u32::MAX]).unwrap();
    let statistics = pair.dictionary.statistics();
    assert_eq!(statistics.bytes, 0);
    assert!(statistics.bytes_in_use > 8 * 2000, "the snapshots hold the run");
    drop(first);
    assert_eq!(pair.dictionary.statistics().bytes_in_use, statistics.bytes_in_use);
    assert!(second.len().unwrap() > 2000);
    drop(second);
    assert_eq!(pair.dictionary.statistics().bytes_in_use, 0);
}
