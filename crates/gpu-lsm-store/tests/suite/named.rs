//! Types by their names: dictionaries of words make the same files as dictionaries of the types that they stand for.

use crate::folder;
use bytes::Bytes;
use gpu_lsm::{Batch, Config, Device, Dictionary, Key, Morton};
use gpu_lsm_store::manifest::Manifest;
use gpu_lsm_store::nonce::Nonce;
use gpu_lsm_store::record::Record;
use gpu_lsm_store::{
    ColumnNames, Error, Options, Store, StoredKey, StoredValue, Types, column_types, read_entries,
    write_entries,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const NONCE: Nonce = Nonce { writer: 0, attempt: 0 };

/// The objects of a store in a folder, without the nonces, by which no two stores are equal.
fn objects(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut objects = BTreeMap::new();
    for part in ["manifest", "log", "runs", "parts"] {
        for file in fs::read_dir(folder.join(part)).into_iter().flatten().map(Result::unwrap) {
            let name = file.file_name().into_string().unwrap();
            let (number, bytes) = (name[..20].parse().unwrap_or(0), fs::read(file.path()).unwrap());
            let bytes = match part {
                "manifest" => {
                    let manifest = Manifest::decode(number, &bytes).unwrap();
                    Manifest { nonce: NONCE, ..manifest }.encode().to_vec()
                }
                "log" => {
                    let mut record = Record::decode(number, &bytes.into()).unwrap();
                    record.header.nonce = NONCE;
                    record.encode().to_vec()
                }
                _ => bytes,
            };
            objects.insert(format!("{part}/{name}"), bytes);
        }
    }
    objects
}

/// A life with versions, runs with tombstones, a log and parts.
fn live<K: StoredKey, V: StoredValue>(store: &Store, keys: &[K], values: &[V]) {
    let options = Options::new().with_config(Config::new().with_batch_size(8)).with_part_bytes(300);
    let mut durable = store.write::<K, V>(&Device::host(), options.with_versions(2)).unwrap();
    durable.insert(keys, values).unwrap();
    durable.update(&keys[..3], &values[1..4], &keys[5..9]).unwrap();
    durable.checkpoint().unwrap();
    durable.delete_range(&keys[10..11], &keys[12..13]).unwrap();
    let mixed = Batch::from_iter([(keys[20], Some(values[0])), (keys[21], None)]);
    durable.submit_once("caller", 1, mixed).unwrap().wait().unwrap();
    durable.cleanup().unwrap();
    // Not while objects are compared.
    durable.collect().unwrap();
}

/// Compares the life of typed keys and values with that of the words that stand for them, and opens each as the other.
fn words_are_as_good<K, V: StoredValue, W: StoredValue>(keys: &[K], values: &[V], words: &[W])
where
    K: StoredKey<Code: StoredKey + Key<Code = K::Code>>,
{
    let name = format!("{}-{}", K::NAME, V::NAME);
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let folders = [folder(&format!("types-{plain}")), folder(&format!("words-{plain}"))];
    let stores = [0, 1].map(|i| Store::at(folders[i].to_str().unwrap()).unwrap());
    let typed = |store: &Store| store.clone().with_types(Types::of::<K, V>());
    live(&stores[0], keys, values);
    live(&typed(&stores[1]), &keys.iter().map(|key| key.to_code()).collect::<Vec<_>>(), words);
    assert_eq!(objects(&folders[0]), objects(&folders[1]), "{name}");

    let as_types = stores[1].load::<K, V>(&Device::host()).unwrap();
    let as_words = typed(&stores[0]).load::<K::Code, W>(&Device::host()).unwrap();
    let (_, keys, values) = as_types.range(&[K::MIN], &[K::MAX]).unwrap().into_parts();
    let ends = [<K::Code as Key>::MIN, <K::Code as Key>::MAX];
    let (_, codes, words) = as_words.range(&ends[..1], &ends[1..]).unwrap().into_parts();
    assert_eq!(keys.into_iter().map(Key::to_code).collect::<Vec<_>>(), codes, "{name}");
    assert_eq!(bytemuck::cast_slice::<V, u8>(&values), bytemuck::cast_slice::<W, u8>(&words), "{name}");
    folders.iter().for_each(|folder| fs::remove_dir_all(folder).unwrap());
}

#[test]
fn words_under_the_names_of_types_make_the_same_files() {
    let numbers = || -20..20;
    let floats: Vec<f64> = numbers().map(|i| f64::from(i) / 4.0).collect();
    let bits: Vec<[u32; 2]> = floats.iter().map(|float| bytemuck::cast(float.to_bits())).collect();
    words_are_as_good(&numbers().map(i64::from).collect::<Vec<_>>(), &floats, &bits);
    words_are_as_good(&numbers().collect::<Vec<i32>>(), &[(); 40], &[(); 40]);
    let narrow: Vec<f32> = numbers().map(|i| i as f32 * 1e30).collect();
    words_are_as_good(&narrow, &[[7u16; 8]; 40], &[[7u32 << 16 | 7; 4]; 40]);
    let pairs: Vec<(u32, u32)> = (0..40).map(|i| (i / 7, i)).collect();
    words_are_as_good(&pairs, &[-9i32; 40], &[-9i32 as u32; 40]);
    let points: Vec<Morton> = (0..40).map(|i| Morton { x: 2 * i, y: i + 1 }).collect();
    words_are_as_good(&points, &[3u64; 40], &[[3u32, 0]; 40]);
    words_are_as_good(&floats, &[1u128 << 100; 40], &[[0u32, 0, 0, 16]; 40]);
}

/// Dates are timestamps to programs that read the files.
#[test]
fn dates_have_columns_of_their_own() {
    let store =
        Store::at("memory:///dates").unwrap().with_types(Types::named("datetime64[us]", "timedelta64[s]"));
    let codes: Vec<u64> = [-1i64, 0, 1].map(Key::to_code).to_vec();
    let dates = Dictionary::build(&Device::host(), Config::new(), &codes, &[5u64, 6, 7]).unwrap();
    store.save(&dates).unwrap();
    assert_eq!(
        store.load::<u64, u64>(&Device::host()).unwrap().range(&[0], &[u64::MAX]).unwrap().keys(),
        codes
    );
    assert_eq!(store.kept().unwrap(), (Types::named("datetime64[us]", "timedelta64[s]"), 1));
    let mut file = Vec::new();
    let (names, types) = (ColumnNames::default(), Types::named("datetime64[us]", "timedelta64[s]"));
    write_entries(dates.scan(2), &mut file, &names, &types).unwrap();
    let file = Bytes::from(file);
    assert_eq!(
        column_types(file.clone(), &names).unwrap(),
        ("datetime64[us]".into(), "timedelta64[s]".into())
    );
    let read: Vec<_> =
        read_entries::<u64, u64, _>(file, &names, &types).unwrap().map(Result::unwrap).collect();
    assert_eq!(read, [(codes, vec![5, 6, 7])]);
}

#[test]
fn names_of_other_widths_are_refused() {
    let store = Store::at("memory:///widths").unwrap();
    let is_refused = |key: &str, value: &str| {
        let store = store.clone().with_types(Types::named(key, value));
        let written = store.write::<u64, u32>(&Device::host(), Options::new());
        matches!(written, Err(Error::OtherWidth { .. }))
    };
    for (key, value) in
        [("i32", "u32"), ("i64", "f64"), ("i64", "()"), ("edge", "u32"), ("timedelta64[s]", "i64")]
    {
        assert!(is_refused(key, value), "{key} {value}");
    }
    assert!(matches!(store.kept(), Err(Error::NoStore { .. })));
    let named = store.clone().with_types(Types::named("datetime64[25s]", "edge"));
    named.write::<u64, u32>(&Device::host(), Options::new()).unwrap().insert(&[1], &[2]).unwrap();
    let other = store.load::<i64, u32>(&Device::host()).unwrap_err();
    assert!(matches!(other, Error::OtherTypes { stored_value, .. } if stored_value == "edge"));
    assert_eq!(named.load::<u64, [u8; 4]>(&Device::host()).unwrap().get(1).unwrap(), Some([2, 0, 0, 0]));
}
