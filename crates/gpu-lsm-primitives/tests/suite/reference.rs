//! What the primitives must compute, written down as plainly as can be.

use gpu_lsm_primitives::{Backend, Key, Pending, Run, Tombstones, Value};
use std::fmt::Debug;

/// Entries on the host: key, value, whether it is a tombstone.
pub(crate) type Entries<K, V> = Vec<(K, V, bool)>;

pub(crate) fn bit(words: &[u32], i: usize) -> bool {
    words[i / 32] >> (i % 32) & 1 == 1
}

/// Of equal keys the last one.
pub(crate) fn select<K: Key, V: Value>(keys: &[K], values: &[V], marks: Option<&[u32]>) -> Entries<K, V> {
    let entry = |(i, &key)| {
        let value = values.get(i).copied().unwrap_or(V::zeroed());
        (key, value, marks.is_some_and(|marks| bit(marks, i)))
    };
    last_of_each_key(keys.iter().enumerate().map(entry).collect())
}

/// Both, and of equal keys the newer one.
pub(crate) fn merge<K: Key, V: Value>(
    newer: &Entries<K, V>,
    older: &Entries<K, V>,
    tombstones: Tombstones,
) -> Entries<K, V> {
    let mut merged = last_of_each_key([&older[..], newer].concat());
    merged.retain(|entry| tombstones == Tombstones::Keep || !entry.2);
    merged
}

/// In order of keys, and of equal ones the last.
fn last_of_each_key<K: Key, V: Value>(mut entries: Entries<K, V>) -> Entries<K, V> {
    entries.sort_by_key(|entry| entry.0);
    entries.reverse();
    entries.dedup_by_key(|entry| entry.0);
    entries.reverse();
    entries
}

/// Puts entries on a device.
pub(crate) fn upload<B: Backend, K: Key, V: Value>(backend: &B, entries: &Entries<K, V>) -> Run<B, K, V> {
    let keys: Vec<K> = entries.iter().map(|entry| entry.0).collect();
    let values: Vec<V> = entries.iter().map(|entry| entry.1).collect();
    let tombstones = entries.iter().filter(|entry| entry.2).count();
    let mut bits = vec![0u32; entries.len().div_ceil(32)];
    for (i, entry) in entries.iter().enumerate() {
        bits[i / 32] |= u32::from(entry.2) << (i % 32);
    }
    Run {
        keys: backend.upload(&keys).unwrap(),
        values: backend.upload(&values).unwrap(),
        marks: (tombstones > 0).then(|| backend.upload(&bits).unwrap()),
        len: entries.len(),
        tombstones,
    }
}

/// Settles pending entries and checks them, the spare bits and the count of tombstones too.
pub(crate) fn check<B: Backend, K: Key, V: Value + PartialEq + Debug>(
    backend: &B,
    pending: Pending<B, K, V>,
    expected: &Entries<K, V>,
    case: &str,
) {
    let run = backend.settle(pending).unwrap();
    assert_eq!(run.len, expected.len(), "{case}: length");
    let keys = backend.download(&run.keys, run.len).unwrap();
    assert!(keys.iter().eq(expected.iter().map(|entry| &entry.0)), "{case}: keys");
    let values = backend.download(&run.values, run.len).unwrap();
    assert!(values.iter().eq(expected.iter().map(|entry| &entry.1)), "{case}: values");
    let tombstones = expected.iter().filter(|entry| entry.2).count();
    assert_eq!(run.tombstones, tombstones, "{case}: tombstones");
    assert_eq!(run.marks.is_some(), tombstones > 0, "{case}: whether there are marks");
    if let Some(marks) = &run.marks {
        let words = backend.download(marks, run.len.div_ceil(32)).unwrap();
        let set: u32 = words.iter().map(|word| word.count_ones()).sum();
        assert_eq!(set as usize, tombstones, "{case}: bits, spare ones included");
        assert!((0..run.len).all(|i| bit(&words, i) == expected[i].2), "{case}: marks");
    }
}
