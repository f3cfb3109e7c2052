//! Saving snapshots and loading them.

use crate::memory::Memory;
pub(crate) use crate::same::assert_same;
use gpu_lsm::{Batch, Config, Device, Dictionary};
use gpu_lsm_store::{Error, Options, Store};
use std::sync::Arc;

fn store() -> (Arc<Memory>, Store) {
    let memory = Memory::new();
    (Arc::clone(&memory), Store::over(memory))
}

fn small() -> Config {
    Config::new().with_batch_size(16)
}

#[test]
fn what_is_saved_is_loaded_with_the_same_levels() {
    let (_, store) = store();
    let mut dictionary = Dictionary::<i64, f32>::with_config(&Device::host(), small()).unwrap();
    for round in 0..40i64 {
        let batch: Batch<_, _> =
            (0..13).map(|i| ((i * 7 + round * 5) % 90 - 45, (i % 4 > 0).then_some(i as f32))).collect();
        dictionary.apply(&batch).unwrap();
        store.save(&dictionary).unwrap();
        let loaded = store.load::<i64, f32>(&Device::host()).unwrap();
        assert_same(&dictionary, &loaded);
        assert_eq!(loaded.config().batch_size(), 16);
        loaded.verify().unwrap();
    }
}

#[test]
fn runs_that_the_store_has_are_not_written_again() {
    let (memory, store) = store();
    let keys: Vec<u32> = (0..4096).collect();
    let mut dictionary = Dictionary::build(&Device::host(), small(), &keys, &keys).unwrap();
    store.save(&dictionary).unwrap();
    let first = memory.names("runs");
    dictionary.insert(&[9999], &[1]).unwrap();
    store.save(&dictionary).unwrap();
    assert_eq!(memory.names("runs").len(), first.len() + 1, "only the small run is new");
    store.save(&dictionary).unwrap();
    assert_eq!(memory.names("runs").len(), first.len() + 1, "nothing is new");
    let mut loaded = store.load::<u32, u32>(&Device::host()).unwrap();
    loaded.insert(&[10_000], &[1]).unwrap();
    store.save(&loaded).unwrap();
    assert_eq!(memory.names("runs").len(), first.len() + 2, "loaded runs are known too");
    let another = Store::over(Arc::clone(&memory) as _);
    another.save(&loaded).unwrap();
    assert_eq!(memory.names("runs").len(), 2 * first.len() + 3, "another handle knows nothing");
}

/// The files of the new store have the identities of those that were deleted.
#[test]
fn a_store_that_was_deleted_and_made_again_gets_its_own_runs() {
    let (memory, store) = store();
    let [first, second] =
        [1u32, 2].map(|key| Dictionary::build(&Device::host(), small(), &[key], &[key]).unwrap());
    store.save(&first).unwrap();
    memory.names("").iter().for_each(|name| memory.set(name, None));
    store.save(&second).unwrap();
    store.save(&first).unwrap();
    assert_same(&first, &store.load(&Device::host()).unwrap());
    store.verify(|_, _| {}).unwrap();
}

/// Saves a dictionary five times, with one more entry each time. Returns its versions too.
fn five_versions(store: &Store) -> (Dictionary<u32, u32>, Vec<u64>) {
    let mut dictionary = Dictionary::with_config(&Device::host(), small()).unwrap();
    let save = |i| {
        dictionary.insert(&[i], &[i]).unwrap();
        store.save(&dictionary).unwrap()
    };
    let saved = (0..5).map(save).collect();
    (dictionary, saved)
}

#[test]
fn versions_are_listed_loaded_and_dropped() {
    let (memory, store) = store();
    let (dictionary, saved) = five_versions(&store);
    let listed: Vec<_> = store.versions().unwrap().iter().map(|info| (info.version, info.entries)).collect();
    assert_eq!(listed, saved.iter().copied().zip(1..).collect::<Vec<_>>());
    for (&version, len) in saved.iter().zip(1..) {
        assert_eq!(store.load_version::<u32, u32>(&Device::host(), version).unwrap().len().unwrap(), len);
    }
    let last = store.clone().with_versions(2).save(&dictionary).unwrap();
    let listed: Vec<_> = store.versions().unwrap().iter().map(|info| info.version).collect();
    assert_eq!(listed, [saved[4], last]);
    let error = store.load_version::<u32, u32>(&Device::host(), saved[0]).unwrap_err();
    assert_eq!(error, Error::NoSuchVersion { version: saved[0] });
    assert_eq!(memory.names("runs").len(), 1, "both versions have the same run");
}

#[test]
fn a_collection_keeps_as_many_versions_as_it_is_told() {
    let (memory, store) = store();
    let (dictionary, saved) = five_versions(&store);
    let lengths = || -> Vec<(u64, u64)> {
        let versions = store.versions().unwrap();
        let load = |version| store.load_version::<u32, u32>(&Device::host(), version).unwrap();
        versions.iter().map(|info| (info.version, load(info.version).len().unwrap())).collect()
    };
    assert_eq!(store.collect(Some(2)).unwrap().manifests, 3);
    assert_eq!(lengths(), [(saved[3], 4), (saved[4], 5)]);
    store.collect(Some(2)).unwrap();
    assert_eq!(lengths(), [(saved[3], 4), (saved[4], 5)]);
    store.collect(Some(0)).unwrap();
    assert_eq!(lengths(), [(saved[4], 5)]);
    let last = store.clone().with_versions(1).save(&dictionary).unwrap();
    store.collect(None).unwrap();
    assert_eq!(lengths(), [(last, 5)]);
    let manifests = store.info().unwrap().epoch as usize + 1;
    assert_eq!(memory.names("manifest").len(), manifests, "one of each opening, and the version");
}

/// The log behind the newest version stays what it was.
#[test]
fn a_collection_of_versions_leaves_the_log() {
    let (_, store) = store();
    let mut durable = store.write::<u32, u32>(&Device::host(), Options::new().with_versions(3)).unwrap();
    for i in 0..3 {
        durable.insert(&[i], &[i]).unwrap();
        durable.checkpoint().unwrap();
    }
    durable.insert(&[9], &[9]).unwrap();
    drop(durable);
    store.collect(Some(1)).unwrap();
    assert_eq!(store.versions().unwrap().iter().map(|info| info.entries).collect::<Vec<_>>(), [3]);
    assert_eq!(store.load::<u32, u32>(&Device::host()).unwrap().len().unwrap(), 4);
    store.verify(|_, _| {}).unwrap();
}

#[test]
fn other_types_and_missing_stores_are_named() {
    let (_, store) = store();
    let missing = store.load::<u32, u32>(&Device::host()).unwrap_err();
    assert_eq!(missing, Error::NoStore { url: "memory of a test".into() });
    let dictionary = Dictionary::<u32, u32>::new(&Device::host()).unwrap();
    store.save(&dictionary).unwrap();
    let other = store.load::<u32, ()>(&Device::host()).unwrap_err();
    assert!(matches!(&other, Error::OtherTypes { stored_value, .. } if stored_value == "u32"), "{other}");
    let other = Dictionary::<u64, u32>::new(&Device::host()).unwrap();
    assert!(matches!(store.save(&other), Err(Error::OtherTypes { .. })));
    assert!(store.load::<u32, u32>(&Device::host()).unwrap().is_empty().unwrap());
}

#[test]
fn local_files_hold_a_store() {
    let folder = crate::folder("local_files");
    let store = Store::at(folder.to_str().unwrap()).unwrap();
    assert!(matches!(store.load::<u32, ()>(&Device::host()), Err(Error::NoStore { .. })));
    let keys: Vec<u32> = (0..1000).map(|i| i * 3).collect();
    let set = Dictionary::build(&Device::host(), small(), &keys, &vec![(); 1000]).unwrap();
    store.save(&set).unwrap();
    let url = format!("file://{}", folder.display());
    let loaded = Store::at(&url).unwrap().load::<u32, ()>(&Device::host()).unwrap();
    assert_same(&set, &loaded);
}

/// A run of several files.
#[test]
fn long_runs_have_several_files() {
    let (memory, store) = store();
    let keys: Vec<u32> = (0..5_000_000).collect();
    let config = Config::new();
    let mut dictionary = Dictionary::build(&Device::host(), config, &keys, &keys).unwrap();
    dictionary.delete(&keys[..100_000]).unwrap();
    store.save(&dictionary).unwrap();
    assert!(memory.names("runs").len() >= 3);
    assert_same(&dictionary, &store.load::<u32, u32>(&Device::host()).unwrap());
}
