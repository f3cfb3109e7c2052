//! The inputs: random, and the same in every run.

use gpu_lsm_primitives::reference::Entries;
use gpu_lsm_primitives::{Code, Recoding, Value};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The entries that a case works on, unless its name says otherwise.
pub(crate) const N: usize = 1 << 17;
/// The queries of a case.
pub(crate) const QUERIES: usize = 1 << 15;
/// The entries of the run in which keys are looked up.
pub(crate) const LARGE: usize = 1 << 22;

fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Keys from the whole domain.
pub(crate) fn keys<K: Code>(len: usize, seed: u64) -> Vec<K> {
    let mut random = random(seed);
    (0..len).map(|_| K::truncated(random.next_u64())).collect()
}

/// Distinct keys in ascending order: `len` of them, except for the few that occurred twice.
pub(crate) fn ascending<K: Code>(len: usize, seed: u64) -> Vec<K> {
    let mut keys = keys(len, seed);
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Entries in ascending order. If `every` is given, one in so many is a tombstone.
pub(crate) fn entries<K: Code, V: Value>(keys: &[K], value: V, every: Option<usize>) -> Entries<K, V> {
    let is_tombstone = |i: usize| every.is_some_and(|every| i.is_multiple_of(every));
    keys.iter().enumerate().map(|(i, &key)| (key, value, is_tombstone(i))).collect()
}

/// Keys of which one in ten is from `others`, in ascending order.
pub(crate) fn overlapping<K: Code>(others: &[K], len: usize, seed: u64) -> Vec<K> {
    let mut keys = keys(len - len / 10, seed);
    keys.extend(others.iter().step_by(others.len().div_ceil(len / 10)));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Intervals of `len` neighbouring keys each, so that all of them have `all` keys.
pub(crate) fn intervals<K: Code>(keys: &[K], len: usize, all: usize) -> (Vec<K>, Vec<K>) {
    let mut random = random(7);
    let starts = (0..all / len).map(|_| random.next_u64() as usize % (keys.len() - len));
    starts.map(|start| (keys[start], keys[start + len - 1])).unzip()
}

/// The same, but no two have a key in common: else what is compulsory would leave out what several queries share.
pub(crate) fn intervals_apart<K: Code>(keys: &[K], len: usize, all: usize) -> (Vec<K>, Vec<K>) {
    let mut random = random(7);
    let stretch = keys.len() / (all / len);
    let mut starts: Vec<usize> = (0..all / len)
        .map(|query| query * stretch + random.next_u64() as usize % (stretch - len + 1))
        .collect();
    starts.sort_by_cached_key(|_| random.next_u64());
    starts.into_iter().map(|start| (keys[start], keys[start + len - 1])).unzip()
}

/// `count` of the keys, in random order.
pub(crate) fn picked<K: Code>(keys: &[K], count: usize) -> Vec<K> {
    let mut random = random(8);
    (0..count).map(|_| keys[random.next_u64() as usize % keys.len()]).collect()
}

/// The corners of squares at random places, as codes. If `all` points are spread over the plane, each has `len` of them.
pub(crate) fn squares(all: usize, len: usize, count: usize) -> (Vec<u64>, Vec<u64>) {
    let mut random = random(9);
    let side = (2f64.powi(32) * (len as f64 / all as f64).sqrt()) as u64;
    let mut place = || random.next_u64() % ((1 << 32) - side);
    let code = |x: u64, y: u64| Recoding::Morton.wide(y << 32 | x);
    (0..count)
        .map(|_| {
            let (x, y) = (place(), place());
            (code(x, y), code(x + side - 1, y + side - 1))
        })
        .unzip()
}
