//! The stores of `testdata/stores`, which every version must open. `examples/golden.rs` made them.

use gpu_lsm::{Device, Key, Morton, Sharding};
use gpu_lsm_store::{Options, Store, Types};
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

/// The word of a value that has a number and a float.
fn edge(to: u32, cost: f32) -> u64 {
    bytemuck::cast([to, cost.to_bits()])
}

/// As words, of which fewer types must be compiled.
#[test]
fn types_of_version_1_are_read() {
    let store = |name: &str, key: &str, value: &str| {
        let types = Types::named(key, value);
        let store = Store::at(golden(name).to_str().unwrap()).unwrap();
        assert_eq!(store.kept().unwrap().0, types);
        store.with_types(types)
    };
    let shards = store("i64-f64-shards", "i64", "f64");
    assert_eq!(shards.kept().unwrap().1, 3);
    let shards = shards.load_sharded::<u64, u64>(&[Device::host()], &Sharding::new(), None).unwrap();
    let expected: Vec<_> = (-20..20i64).map(|key| (key.to_code(), (key as f64 / 4.0).to_bits())).collect();
    assert_eq!(shards.iter().map(Result::unwrap).collect::<Vec<_>>(), expected);
    let floats = store("f32-u16x4", "f32", "[u16; 4]").load::<u32, u64>(&Device::host()).unwrap();
    assert_eq!(floats.get(2.5f32.to_code()).unwrap(), Some(bytemuck::cast([3u16, 0, 0, 3])));
    let points = store("morton-i64", "morton", "i64").load::<u64, u64>(&Device::host()).unwrap();
    assert_eq!(points.get(Morton { x: 3, y: 4 }.to_code()).unwrap(), Some(1));
    let edges = store("pair-edge", "(u32, u32)", "edge").load::<u64, u64>(&Device::host()).unwrap();
    assert_eq!(edges.get((0, 9).to_code()).unwrap(), Some(edge(3, 0.5)));
}

/// `make_golden_store.py` of the Python package made it.
#[test]
fn a_store_of_python_is_read() {
    let types = Types::named("datetime64[ms]", "[('to', '<u4'), ('cost', '<f4')]");
    let store = Store::at(golden("datetime64-struct").to_str().unwrap()).unwrap();
    assert_eq!(store.kept().unwrap(), (types.clone(), 1));
    let dates = store.with_types(types).load::<u64, u64>(&Device::host()).unwrap();
    let dates: Vec<_> = dates.iter().map(Result::unwrap).collect();
    let day = 24 * 60 * 60 * 1000;
    assert_eq!(dates, [((-60_000i64).to_code(), edge(1, 0.5)), ((20_454i64 * day).to_code(), edge(3, 2.5))]);
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
