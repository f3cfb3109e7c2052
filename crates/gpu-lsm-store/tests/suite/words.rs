//! A life of typed keys and values beside that of the words that stand for them.

use crate::folder::folder;
use gpu_lsm::{Batch, Config, Device, Key};
use gpu_lsm_store::manifest::Manifest;
use gpu_lsm_store::nonce::Nonce;
use gpu_lsm_store::record::Record;
use gpu_lsm_store::{Options, Store, StoredKey, StoredValue, Types};
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
pub(crate) fn words_are_as_good<K, V: StoredValue, W: StoredValue>(keys: &[K], values: &[V], words: &[W])
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
