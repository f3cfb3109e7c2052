//! A place that fails: for every k, the k-th operation, before or after its effect. The error is typed, memory agrees with
//! the store, and the next opening finds all that was acknowledged.

use crate::memory::{Fault, Memory};
use crate::save::assert_same;
use gpu_lsm::{Batch, Config, Device, Dictionary};
use gpu_lsm_store::{Durable, Error, Options, Result, Store};
use std::sync::Arc;

fn options() -> Options {
    Options::new().with_config(Config::new().with_batch_size(8)).with_part_bytes(200).with_versions(2)
}

fn batch(i: u32) -> Batch<u32, u32> {
    let len = if i % 4 == 3 { 40 } else { 10 };
    (i * 5..i * 5 + len).map(|key| (key, (key % 7 > 0).then_some(key + i))).collect()
}

fn twin(batches: impl IntoIterator<Item = u32>) -> Dictionary<u32, u32> {
    let config = Config::new().with_batch_size(8);
    let mut twin = Dictionary::with_config(&Device::host(), config).unwrap();
    batches.into_iter().for_each(|i| twin.apply(&batch(i)).unwrap());
    twin
}

/// What a life has acknowledged, and whether a batch's fate was left open.
#[derive(Debug, Default)]
struct Life {
    acknowledged: Vec<u32>,
    unknown: Option<u32>,
    errors: u32,
}

impl Life {
    /// Opens a store, writes, makes checkpoints, collects, and opens it again. Goes on after errors.
    fn live(&mut self, store: &Store) {
        for session in 0..2 {
            let Some(mut durable) = self.note(store.write::<u32, u32>(&Device::host(), options())) else {
                continue;
            };
            self.check(&durable);
            for i in session * 5..session * 5 + 5 {
                self.write(&mut durable, i);
                if i % 2 == 1 {
                    self.note(durable.checkpoint());
                    self.check(&durable);
                }
            }
            self.note(durable.collect());
            self.check(&durable);
        }
        self.note(store.versions());
        self.note(store.load::<u32, u32>(&Device::host()));
    }

    fn write(&mut self, durable: &mut Durable<u32, u32>, i: u32) {
        match durable.apply(&batch(i)) {
            Ok(()) => self.acknowledged.push(i),
            Err(Error::NotWritten { .. }) => self.errors += 1,
            Err(error) => {
                assert!(matches!(error, Error::Unavailable { .. }), "{error}");
                self.errors += 1;
                self.unknown = self.unknown.or(Some(i));
                return;
            }
        }
        self.check(durable);
    }

    fn note<T>(&mut self, result: Result<T>) -> Option<T> {
        let is_expected = |error: &Error| {
            matches!(error, Error::Unavailable { .. } | Error::NotWritten { .. } | Error::NoStore { .. })
        };
        result
            .inspect_err(|error| {
                assert!(is_expected(error), "{error}");
                self.errors += 1;
            })
            .ok()
    }

    /// Memory has what was acknowledged.
    fn check(&self, durable: &Durable<u32, u32>) {
        if self.unknown.is_none() {
            assert_same(&twin(self.acknowledged.iter().copied()), durable);
        }
    }
}

/// What the store has must be what was acknowledged, perhaps with the batch whose fate was open.
fn check_store(memory: &Arc<Memory>, life: &Life, what: &str) {
    let store = Store::over(Arc::clone(memory) as _);
    let found = match store.write::<u32, u32>(&Device::host(), options()) {
        Ok(found) => found,
        Err(error) => panic!("{what}: {error}"),
    };
    let same = |with: Option<u32>| {
        let mut batches = life.acknowledged.clone();
        batches.extend(with);
        batches.sort_unstable();
        let twin = twin(batches);
        let entries =
            |runs: &gpu_lsm::Snapshot<u32, u32>| runs.range(&[0], &[u32::MAX]).unwrap().keys().to_vec();
        entries(&twin) == entries(&found)
    };
    assert!(same(None) || life.unknown.is_some_and(|unknown| same(Some(unknown))), "{what}: {life:?}");
    found.verify().unwrap();
}

/// The operations of a life without faults.
fn operations() -> u64 {
    let memory = Memory::new();
    let mut life = Life::default();
    life.live(&Store::over(Arc::clone(&memory) as _));
    assert_eq!((life.errors, life.acknowledged.len()), (0, 10));
    memory.operations()
}

fn every_kth(fault: impl Fn(u64) -> Fault) {
    let operations = operations();
    assert!(operations > 80, "{operations}");
    let mut failures = 0;
    for k in 0..operations {
        let memory = Memory::new();
        memory.fail(Some(fault(k)));
        let mut life = Life::default();
        life.live(&Store::over(Arc::clone(&memory) as _));
        failures += life.errors;
        memory.fail(None);
        check_store(&memory, &life, &format!("{:?}", fault(k)));
    }
    assert!(u64::from(failures) > operations / 4, "{failures} of {operations}");
}

#[test]
fn every_operation_fails_before_its_effect() {
    every_kth(Fault::Before);
}

#[test]
fn every_operation_fails_after_its_effect() {
    every_kth(Fault::After);
}

/// A place that is gone from the k-th operation on, and comes back.
#[test]
fn the_place_goes_away_at_every_operation() {
    for k in 0..operations() {
        let memory = Memory::new();
        let store = Store::over(Arc::clone(&memory) as _);
        memory.fail(Some(Fault::BeforeAll(k)));
        let mut life = Life::default();
        let durable = life.note(store.write::<u32, u32>(&Device::host(), options()));
        if let Some(mut durable) = durable {
            for i in 0..5 {
                life.write(&mut durable, i);
            }
            memory.fail(None);
            // The same writer goes on.
            durable.flush().ok();
            durable.apply(&batch(20)).unwrap();
            let batches: Vec<u32> = life.acknowledged.iter().copied().chain([20]).collect();
            let with = life.unknown.map(|unknown| {
                let mut batches = batches.clone();
                batches.insert(life.acknowledged.len(), unknown);
                batches
            });
            let len = |batches: Vec<u32>| twin(batches).len().unwrap();
            let found = durable.len().unwrap();
            assert!(found == len(batches.clone()) || with.is_some_and(|with| found == len(with)), "{k}");
            assert_same(&durable, &store.load::<u32, u32>(&Device::host()).unwrap());
        }
        memory.fail(None);
    }
}
