//! What the primitives must compute, sequential and as plain as can be: for tests and self-tests.

use crate::backend::{Backend, Start, Way};
use crate::entries::{Pending, Run, Tombstones};
use crate::error::Result;
use crate::key::Key;
use crate::value::Value;

/// Entries on the host: key, value, whether it is a tombstone.
pub type Entries<K, V> = Vec<(K, V, bool)>;

/// Whether bit `i` is set.
pub fn bit(words: &[u32], i: usize) -> bool {
    words[i / 32] >> (i % 32) & 1 == 1
}

/// Keys with their positions, in order of keys, then positions.
pub fn sort<K: Key>(keys: &[K]) -> Vec<(K, u32)> {
    let mut pairs: Vec<(K, u32)> = keys.iter().copied().zip(0..).collect();
    pairs.sort();
    pairs
}

/// The sums of all numbers before each, and of all; at most the largest number.
pub fn scan(numbers: &[u32]) -> Vec<u32> {
    let mut sums = vec![0u32];
    sums.extend(numbers.iter().scan(0u32, |sum, number| {
        *sum = sum.saturating_add(*number);
        Some(*sum)
    }));
    sums
}

/// Of equal keys the last one; a position without a value has zero.
pub fn select<K: Key, V: Value>(keys: &[K], values: &[V], marks: Option<&[u32]>) -> Entries<K, V> {
    let entry = |(i, &key)| {
        let value = values.get(i).copied().unwrap_or(V::zeroed());
        (key, value, marks.is_some_and(|marks| bit(marks, i)))
    };
    last_of_each_key(keys.iter().enumerate().map(entry).collect())
}

/// Both, and of equal keys the newer one.
pub fn merge<K: Key, V: Value>(
    newer: &Entries<K, V>,
    older: &Entries<K, V>,
    tombstones: Tombstones,
) -> Entries<K, V> {
    let mut merged = last_of_each_key([&older[..], newer].concat());
    merged.retain(|entry| tombstones == Tombstones::Keep || !entry.2);
    merged
}

/// What `runs`, the newest first, have for `key`: its value, where its first entry is no tombstone.
pub fn search<K: Key, V: Value>(runs: &[&Entries<K, V>], key: K) -> Option<V> {
    let entry = |run: &&Entries<K, V>| {
        run.binary_search_by_key(&key, |entry| entry.0).ok().map(|i| (run[i].1, run[i].2))
    };
    let (value, is_deleted) = runs.iter().find_map(entry)?;
    (!is_deleted).then_some(value)
}

/// Where an interval, up to and with `upper`, lies in ascending keys: its first position, and how many keys it has.
pub fn bounds<K: Key>(keys: &[K], lower: K, upper: K, start: Start) -> (u32, u32) {
    let is_before = |key: &&K| if start == Start::At { **key < lower } else { **key <= lower };
    let first = keys.iter().filter(is_before).count();
    let end = keys.iter().filter(|&&key| key <= upper).count();
    (first as u32, end.saturating_sub(first) as u32)
}

/// The window of a query in a run: where it starts, how many entries it has, and up to where nothing is missing.
pub fn window<K: Key, V: Value>(run: &Entries<K, V>, query: K, way: Way, limit: usize) -> (usize, usize, K) {
    let at = run.partition_point(|entry| entry.0 < query || (way != Way::Up && entry.0 == query));
    if way == Way::Down {
        let start = at.saturating_sub(limit);
        return (start, at - start, if start > 0 { run[start].0 } else { K::MIN });
    }
    let end = run.len().min(at + limit);
    (at, end - at, if end < run.len() { run[end - 1].0 } else { K::MAX })
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
///
/// # Errors
/// Where there is no room.
pub fn upload<B: Backend, K: Key, V: Value>(backend: &B, entries: &Entries<K, V>) -> Result<Run<B, K, V>> {
    let keys: Vec<K> = entries.iter().map(|entry| entry.0).collect();
    let values: Vec<V> = entries.iter().map(|entry| entry.1).collect();
    let tombstones = entries.iter().filter(|entry| entry.2).count();
    let bits = bits_of(entries);
    Ok(Run {
        keys: backend.upload(&keys)?,
        values: backend.upload(&values)?,
        marks: if tombstones > 0 { Some(backend.upload(&bits)?) } else { None },
        len: entries.len(),
        tombstones,
    })
}

/// The first way in which pending entries, once settled, are not the expected ones; spare bits count too.
///
/// # Errors
/// Where the device failed.
pub fn difference<B: Backend, K: Key, V: Value>(
    backend: &B,
    pending: Pending<B, K, V>,
    expected: &Entries<K, V>,
) -> Result<Option<&'static str>> {
    let run = backend.settle(pending)?;
    if run.len != expected.len() {
        return Ok(Some("length"));
    }
    let keys = backend.download(&run.keys, run.len)?;
    if !keys.iter().eq(expected.iter().map(|entry| &entry.0)) {
        return Ok(Some("keys"));
    }
    let values = backend.download(&run.values, run.len)?;
    if !values.iter().zip(expected).all(|(value, entry)| same_bytes(value, &entry.1)) {
        return Ok(Some("values"));
    }
    let tombstones = expected.iter().filter(|entry| entry.2).count();
    if run.tombstones != tombstones || run.marks.is_some() != (tombstones > 0) {
        return Ok(Some("tombstones"));
    }
    let Some(marks) = &run.marks else { return Ok(None) };
    let words = backend.download(marks, run.len.div_ceil(32))?;
    Ok((words != bits_of(expected)).then_some("marks"))
}

/// Whether two values are the same, bit for bit.
pub fn same_bytes<V: Value>(one: &V, other: &V) -> bool {
    bytemuck::bytes_of(one) == bytemuck::bytes_of(other)
}

fn bits_of<K: Key, V: Value>(entries: &Entries<K, V>) -> Vec<u32> {
    let mut bits = vec![0u32; entries.len().div_ceil(32)];
    for (i, entry) in entries.iter().enumerate() {
        bits[i / 32] |= u32::from(entry.2) << (i % 32);
    }
    bits
}
