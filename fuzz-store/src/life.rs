//! What is done with a store that has an object of the fuzzer's.

use crate::folder::Folder;
use gpu_lsm::{Device, Sharding, Snapshot};
use gpu_lsm_store::{Error, Options, Store, StoredKey, StoredValue};
use std::fmt::Debug;

/// Reads a store in every way, and writes to it if it can be read.
pub fn live<K: StoredKey, V: StoredValue + PartialEq + Debug>(store: &Store) {
    store.info().err().into_iter().for_each(check_error);
    store.verify(|_, _| ()).err().into_iter().for_each(check_error);
    let sharded = store.load_sharded::<K, V>(&[Device::host()], &Sharding::new(), None);
    match store.load::<K, V>(&Device::host()) {
        Ok(loaded) => {
            loaded.verify().expect("every rule is kept");
            let in_shards = sharded.expect("a plain dictionary can be opened as a sharded one");
            assert_eq!(
                in_shards.len().expect("the host never fails"),
                loaded.len().expect("the host never fails")
            );
            save_and_load(&loaded);
            write_on(store, &loaded);
        }
        Err(error) => {
            check_error(error);
            sharded.err().into_iter().for_each(check_error);
        }
    }
}

/// Errors must be typed, and nothing is wrong with this place.
pub fn check_error(error: Error) {
    assert!(!matches!(error, Error::Unavailable { .. } | Error::Table { .. }), "{error}");
}

/// Levels and entries are equal, byte for byte.
pub fn assert_same<K: StoredKey, V: StoredValue + PartialEq + Debug>(a: &Snapshot<K, V>, b: &Snapshot<K, V>) {
    let [runs, others] = [a, b].map(|snapshot| snapshot.runs().expect("the host never fails"));
    assert_eq!(runs.len(), others.len());
    for (run, other) in runs.iter().zip(&others) {
        assert_eq!(run.level, other.level);
        let [run, other] = [a.run_columns(run.id), b.run_columns(other.id)];
        assert_eq!(run.expect("the host never fails"), other.expect("the host never fails"));
    }
}

fn save_and_load<K: StoredKey, V: StoredValue + PartialEq + Debug>(loaded: &Snapshot<K, V>) {
    let store = Folder::default().into_store();
    store.save(loaded).expect("what was loaded can be saved");
    assert_same(loaded, &store.load::<K, V>(&Device::host()).expect("what was saved can be loaded"));
}

/// Takes the store over and writes a batch, which must be there afterwards.
fn write_on<K: StoredKey, V: StoredValue + PartialEq + Debug>(store: &Store, before: &Snapshot<K, V>) {
    let mut durable = match store.write::<K, V>(&Device::host(), Options::new()) {
        Ok(durable) => durable,
        Err(error) => return check_error(error),
    };
    assert_same(before, &durable);
    match durable.insert(&[K::MIN], &[V::zeroed()]) {
        Ok(()) => assert_same(&durable, &store.load::<K, V>(&Device::host()).expect("it was opened before")),
        Err(error) => check_error(error),
    }
}
