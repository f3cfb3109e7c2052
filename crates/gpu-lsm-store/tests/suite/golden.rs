//! The stores of `testdata/stores`, which every version must open. `examples/golden.rs` made them.

use gpu_lsm::Device;
use gpu_lsm_store::{Options, Store};
use std::fs;
use std::path::{Path, PathBuf};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/stores/1").join(name)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (entry, to) = (entry.as_ref().unwrap().path(), to.join(entry.as_ref().unwrap().file_name()));
        match entry.is_dir() {
            true => copy(&entry, &to),
            false => assert!(fs::copy(&entry, &to).unwrap() > 0),
        }
    }
}

fn numbers() -> Vec<(u64, u32)> {
    let gone = |key: &u64| (3..=5).contains(key) || (10..=19).contains(key);
    let kept = (0..50).filter(|key| !gone(key)).map(|key| (key, key as u32 + 100));
    kept.chain([(70, 2), (80, 7)]).chain((1000..1040).map(|key| (key, 9))).collect()
}

#[test]
fn version_1_is_read() {
    let store = Store::at(golden("u64-u32").to_str().unwrap()).unwrap();
    let loaded = store.load::<u64, u32>(&Device::host()).unwrap();
    assert_eq!(loaded.iter().map(Result::unwrap).collect::<Vec<_>>(), numbers());
    assert_eq!(loaded.config().batch_size(), 8);
    let versions = store.versions().unwrap();
    let lens = versions
        .iter()
        .map(|info| store.load_version::<u64, u32>(&Device::host(), info.version).unwrap().len());
    assert_eq!(lens.map(Result::unwrap).collect::<Vec<_>>(), [50, 49]);
    let set =
        Store::at(golden("i32-set").to_str().unwrap()).unwrap().load::<i32, ()>(&Device::host()).unwrap();
    assert_eq!(set.range(&[i32::MIN], &[i32::MAX]).unwrap().keys(), [i32::MIN, 7]);
}

#[test]
fn version_1_is_written_on() {
    let folder = crate::folder("golden");
    copy(&golden("u64-u32"), &folder);
    let store = Store::at(folder.to_str().unwrap()).unwrap();
    let mut durable = store.write::<u64, u32>(&Device::host(), Options::new()).unwrap();
    assert_eq!(durable.last_of("golden"), 1);
    durable.insert(&[2000], &[1]).unwrap();
    durable.checkpoint().unwrap();
    let expected: Vec<_> = numbers().into_iter().chain([(2000, 1)]).collect();
    let loaded = store.load::<u64, u32>(&Device::host()).unwrap();
    assert_eq!(loaded.iter().map(Result::unwrap).collect::<Vec<_>>(), expected);
    fs::remove_dir_all(folder).unwrap();
}
