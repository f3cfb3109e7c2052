//! Keys, queries and intervals. Everything is generated from fixed seeds, so that every run measures the same work.
//!
//! Keys are below 2^31 - 1, so that the paper's structures can hold them: these use one bit for the status, and the
//! largest key as a placebo. The keys of a workload are distinct. The value of a key is its position.

use crate::measure::structure::Update;
use crate::record::sample::KeyKind;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// The upper bound of keys, exclusive.
pub const KEY_END: u32 = (1 << 31) - 1;

/// Distinct keys in the order of their insertion.
#[derive(Debug, Clone)]
pub struct Workload {
    /// The distribution of the keys.
    pub kind: KeyKind,
    /// The keys.
    pub keys: Vec<u32>,
    /// The value of each key.
    pub values: Vec<u32>,
}

impl Workload {
    /// `n` keys.
    pub fn new(kind: KeyKind, n: usize) -> Self {
        let keys = match kind {
            KeyKind::Uniform => (0..n as u32).map(scattered).collect(),
            KeyKind::Dense => dense(n),
            KeyKind::Timestamps => timestamps(n),
            KeyKind::Edges => edges(n),
        };
        Self { kind, keys, values: (0..n as u32).collect() }
    }

    /// The first `n` entries.
    pub fn first(&self, n: usize) -> Update<'_> {
        self.slice(0, n)
    }

    /// The batch that follows after `batches` batches of `b` entries.
    pub fn batch(&self, batches: usize, b: usize) -> Update<'_> {
        self.slice(batches * b, (batches + 1) * b)
    }

    fn slice(&self, start: usize, end: usize) -> Update<'_> {
        Update { keys: &self.keys[start..end], values: &self.values[start..end], deletes: &[] }
    }
}

/// The `i`-th key of a random order of all keys: a permutation of 31-bit numbers, applied again if it yields a number
/// that is not a key.
fn scattered(i: u32) -> u32 {
    let mask = KEY_END;
    let mut key = i.wrapping_mul(0x9E37_79B1) & mask;
    key = (key ^ (key >> 15)).wrapping_mul(0x85EB_CA6B) & mask;
    key = (key ^ (key >> 13)).wrapping_mul(0xC2B2_AE35) & mask;
    key ^= key >> 16;
    if key == KEY_END { scattered(KEY_END) } else { key }
}

fn dense(n: usize) -> Vec<u32> {
    const STRETCH: u32 = 4096;
    let stretches = KEY_END / STRETCH;
    let start = |stretch: u32| (u64::from(stretch) * 0x9E37_79B1 % u64::from(stretches)) as u32 * STRETCH;
    let mut keys: Vec<_> = (0..n as u32).map(|i| start(i / STRETCH) + i % STRETCH).collect();
    keys.shuffle(&mut seeded(1));
    keys
}

fn timestamps(n: usize) -> Vec<u32> {
    let mut random = seeded(2);
    let gap = (KEY_END / n.max(1) as u32).clamp(1, 8);
    (0..n as u32).map(|i| i * gap + random.random_range(0..gap)).collect()
}

/// Edges between 2^15 sources and 2^16 targets. Sources with lower numbers have more edges.
fn edges(n: usize) -> Vec<u32> {
    let mut random = seeded(3);
    let (mut seen, mut keys) = (HashSet::with_capacity(n), Vec::with_capacity(n));
    while keys.len() < n {
        let skewed = random.random::<f64>().powi(2);
        let key = (((skewed * 32768.0) as u32) << 16) | random.random_range(0..1 << 16);
        if key < KEY_END && seen.insert(key) {
            keys.push(key);
        }
    }
    keys
}

/// Random numbers that are the same in every run.
pub fn seeded(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// The uniform keys of batches of `b`. From the second batch on, `stale` percent of each are the oldest keys that were not
/// repeated before.
pub fn repeating(b: usize, batches: usize, stale: usize) -> Vec<u32> {
    let pool = Workload::new(KeyKind::Uniform, b * batches).keys;
    let (mut new, mut old) = (pool.iter().copied(), pool.iter().copied());
    let mut keys = Vec::with_capacity(pool.len());
    for batch in 0..batches {
        let repeated = if batch == 0 { 0 } else { b * stale / 100 };
        keys.extend(new.by_ref().take(b - repeated).chain(old.by_ref().take(repeated)));
    }
    keys
}

/// Lookups of all keys, in random order.
pub fn existing(keys: &[u32]) -> Vec<u32> {
    let mut queries = keys.to_vec();
    queries.shuffle(&mut seeded(4));
    queries
}

/// `count` lookups of keys that are not in a uniform workload of `n` keys.
pub fn missing(n: usize, count: usize) -> Vec<u32> {
    (n as u32..(n + count) as u32).map(scattered).collect()
}

/// Intervals that contain `entries` of `resident` uniform keys on average, as in the paper.
pub fn intervals_of_uniform(resident: usize, entries: usize, queries: usize) -> (Vec<u32>, Vec<u32>) {
    let width = (entries as u64 * u64::from(KEY_END) / resident.max(1) as u64).clamp(1, u64::from(KEY_END));
    let (width, mut random) = (width as u32, seeded(5));
    let lower = (0..queries).map(|_| random.random_range(0..=KEY_END - width));
    lower.map(|lower| (lower, lower + width - 1)).unzip()
}

/// Intervals that contain exactly `entries` of the sorted keys, or all of them if there are fewer.
pub fn intervals_of_sorted(sorted: &[(u32, u32)], entries: usize, queries: usize) -> (Vec<u32>, Vec<u32>) {
    let mut random = seeded(6);
    let entries = entries.min(sorted.len());
    let first = (0..queries).map(|_| random.random_range(0..=sorted.len() - entries));
    first.map(|at| (sorted[at].0, sorted[at + entries - 1].0)).unzip()
}

#[cfg(test)]
mod tests {
    use super::{KEY_END, Workload, intervals_of_uniform, missing};
    use crate::record::sample::KeyKind;
    use std::collections::HashSet;

    #[test]
    fn keys_are_distinct_and_in_the_papers_domain() {
        for kind in KeyKind::ALL {
            let keys = Workload::new(kind, 20_000).keys;
            assert!(keys.iter().all(|&key| key < KEY_END), "{kind:?}");
            assert_eq!(keys.iter().collect::<HashSet<_>>().len(), 20_000, "{kind:?}");
        }
    }

    #[test]
    fn missing_keys_are_missing() {
        let keys: HashSet<_> = Workload::new(KeyKind::Uniform, 5000).keys.into_iter().collect();
        assert!(missing(5000, 5000).iter().all(|key| !keys.contains(key)));
    }

    #[test]
    fn intervals_have_as_many_entries_as_asked_on_average() {
        let keys = Workload::new(KeyKind::Uniform, 1 << 14).keys;
        let (lower, upper) = intervals_of_uniform(keys.len(), 8, 2000);
        let within =
            |(&lower, &upper): (&u32, &u32)| keys.iter().filter(|&&key| lower <= key && key <= upper).count();
        let mean = lower.iter().zip(&upper).map(within).sum::<usize>() as f64 / 2000.0;
        assert!((7.5..8.5).contains(&mean), "{mean}");
    }
}
