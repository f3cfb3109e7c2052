//! The updates of the scripts in `testdata`, through stores: one dictionary is saved and loaded after each, another is durable and
//! opened again. Both must always have the levels and bytes of one that stays in memory, which gives every script's answers in
//! the dictionary's own tests.

use crate::memory::Memory;
use crate::same::assert_same;
use gpu_lsm::{Batch, Config, Device, Dictionary, Morton};
use gpu_lsm_model::{interval, number, numbers, scripts};
use gpu_lsm_primitives::Code;
use gpu_lsm_store::operation::Operation;
use gpu_lsm_store::{Durable, Kept, Options, Store, StoredKey};
use std::ops::Bound;
use toml::Value;

#[test]
fn every_script_passes_through_stores() {
    for script in &scripts() {
        match script["keys"].as_str().unwrap() {
            "u32" => run::<u32>(script),
            "u64" => run::<u64>(script),
            "point" => run::<Morton>(script),
            other => panic!("no keys are called {other}"),
        }
    }
}

fn run<K: StoredKey>(script: &Value) {
    let config = Config::new().with_batch_size(script["batch_size"].as_integer().unwrap() as usize);
    let mut triple = Triple::<K>::of(Dictionary::with_config(&Device::host(), config).unwrap());
    let mut other = None;
    for step in script["steps"].as_array().unwrap() {
        match step["do"].as_str().unwrap() {
            "fork" => {
                let fork = Triple::of(triple.plain.fork());
                other = Some(std::mem::replace(&mut triple, fork));
            }
            "swap" => std::mem::swap(&mut triple, other.as_mut().unwrap()),
            _ => operation(step).into_iter().for_each(|operation| triple.perform(&operation)),
        }
    }
}

/// A dictionary in memory, one that is saved, and a durable one.
struct Triple<K: StoredKey> {
    plain: Dictionary<K, u32>,
    saved: (Store, Dictionary<K, u32>),
    durable: (Store, Durable<K, u32>),
}

impl<K: StoredKey> Triple<K> {
    fn of(plain: Dictionary<K, u32>) -> Self {
        let [saved, logged] = [(); 2].map(|()| Store::over(Memory::new()));
        logged.save(&plain).unwrap();
        let durable = (logged.clone(), open(&logged));
        Self { saved: (saved, plain.fork()), durable, plain }
    }

    fn perform(&mut self, operation: &Operation<K, u32>) {
        self.plain.perform(operation).unwrap();
        let (store, dictionary) = &mut self.saved;
        dictionary.perform(operation).unwrap();
        store.save(dictionary).unwrap();
        *dictionary = store.load(&Device::host()).unwrap();
        assert_same(&self.plain, dictionary);
        let (store, durable) = &mut self.durable;
        match operation {
            Operation::Apply(batch) => durable.apply(batch).unwrap(),
            Operation::DeleteRange(lower, upper) => durable.delete_range(lower, upper).unwrap(),
            Operation::Cleanup => durable.cleanup().unwrap(),
            Operation::Clear => durable.clear().unwrap(),
        }
        *durable = open(store);
        assert_same(&self.plain, durable);
    }
}

fn open<K: StoredKey>(store: &Store) -> Durable<K, u32> {
    store.write(&Device::host(), Options::new()).unwrap()
}

/// The operation of a step, if it is an update.
fn operation<K: StoredKey>(step: &Value) -> Option<Operation<K, u32>> {
    let keys = |column: &str| numbers::<K>(step, column);
    let values = |column: &str| numbers::<u32>(step, column);
    let inserts = || keys("keys").into_iter().zip(values("values").into_iter().map(Some));
    let deletes = |column: &str| keys(column).into_iter().map(|key| (key, None));
    let batch: Batch<K, u32> = match step["do"].as_str().unwrap() {
        "insert" => inserts().collect(),
        "delete" => deletes("keys").collect(),
        "update" => inserts().chain(deletes("deletes")).collect(),
        "apply" => step["operations"].as_array().unwrap().iter().map(key_and_value).collect(),
        "apply_columns" => {
            let is_deleted = values("deletes").into_iter().map(|delete| delete != 0);
            inserts().zip(is_deleted).map(|((key, value), delete)| (key, value.filter(|_| !delete))).collect()
        }
        "delete_range" => return Some(Operation::DeleteRange(keys("lower"), keys("upper"))),
        "delete_in" => {
            let (lower, upper) = ends(interval(step))?;
            return Some(Operation::DeleteRange(vec![lower], vec![upper]));
        }
        "cleanup" => return Some(Operation::Cleanup),
        "clear" => return Some(Operation::Clear),
        _ => return None,
    };
    Some(Operation::Apply(batch))
}

/// An operation of a mixed batch: a key that is deleted, or a key and its value.
fn key_and_value<K: StoredKey>(operation: &Value) -> (K, Option<u32>) {
    let operation = operation.as_array().unwrap();
    (number(&operation[0]), operation.get(1).map(number))
}

/// The first and the last key of an interval, if it has any.
fn ends<K: StoredKey>((from, to): (Bound<K>, Bound<K>)) -> Option<(K, K)> {
    let code = |key: K| key.to_code().to_u64();
    let first = match from {
        Bound::Included(key) => code(key),
        Bound::Excluded(key) => code(key).checked_add(1)?,
        Bound::Unbounded => code(K::MIN),
    };
    let last = match to {
        Bound::Included(key) => code(key),
        Bound::Excluded(key) => code(key).checked_sub(1)?,
        Bound::Unbounded => code(K::MAX),
    };
    (first <= last).then(|| [first, last].map(|code| K::from_code(Code::truncated(code))).into())
}
