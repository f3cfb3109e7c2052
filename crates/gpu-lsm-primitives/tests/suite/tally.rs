//! tally: the changes of the entries of runs, added up between two keys.

use crate::on_every_backend;
use crate::support::{Mix, cases, distinct_keys, keys, rng, wide};
use gpu_lsm_primitives::reference::{self, Entries};
use gpu_lsm_primitives::{Backend, Code, Run, Tally};
use rand::RngExt;

on_every_backend!(tallies_u32, tallies_u64);

fn tallies_u32(backend: &impl Backend) {
    tallies::<_, u32>(backend);
}

fn tallies_u64(backend: &impl Backend) {
    wide(backend, || tallies::<_, u64>(backend));
}

/// A run with tombstones, one without, and the oldest, in which every entry adds a key.
fn tallies<B: Backend, K: Code>(backend: &B) {
    for (len, mix) in cases() {
        let queries = 100;
        let mut lower = keys::<K>(mix, queries, 21);
        let mut upper = keys::<K>(mix, queries, 22);
        (lower[9], upper[9]) = (K::MIN, K::MAX);
        let (on_device_lower, on_device_upper) =
            (backend.upload(&lower).unwrap(), backend.upload(&upper).unwrap());
        let mut counts = None;
        let mut expected = vec![0i64; queries];
        for (age, marked) in [(0, 80), (1, 0)] {
            let (run, changes) = changing::<B, K>(backend, mix, len, age, marked);
            let (run, tally) = run;
            assert_eq!(
                tally.total,
                changes.iter().map(|change| change.1).sum::<i64>(),
                "{len} keys, {mix:?}"
            );
            counts = Some(backend.tallied(&run, &tally, &on_device_lower, &on_device_upper, counts).unwrap());
            for (q, count) in expected.iter_mut().enumerate() {
                *count += between(&changes, lower[q], upper[q]);
            }
        }
        let oldest: Entries<K, ()> =
            distinct_keys(mix, len, 2).into_iter().map(|key| (key, (), false)).collect();
        let run = reference::upload(backend, &oldest).unwrap();
        let tally = Tally { words: backend.upload(&[]).unwrap(), total: oldest.len() as i64 };
        let counts = backend.tallied(&run, &tally, &on_device_lower, &on_device_upper, counts).unwrap();
        let changes: Vec<(K, i64)> = oldest.iter().map(|entry| (entry.0, 1)).collect();
        for (q, count) in expected.iter_mut().enumerate() {
            *count += between(&changes, lower[q], upper[q]);
        }
        let counts = backend.download(&counts, queries).unwrap();
        assert!(
            counts.iter().zip(&expected).all(|(&one, &other)| one == other as u32),
            "{len} keys, {mix:?}"
        );
    }
}

type Tallied<B, K> = (Run<B, K, ()>, Tally<B>);

/// A run with its tally, and the change of each of its keys. The older runs have each key or not, at random.
fn changing<B: Backend, K: Code>(
    backend: &B,
    mix: Mix,
    len: usize,
    age: u64,
    marked: u8,
) -> (Tallied<B, K>, Vec<(K, i64)>) {
    let mut rng = rng(age);
    let entries: Entries<K, ()> =
        distinct_keys(mix, len, age).into_iter().map(|key| (key, (), rng.random::<u8>() < marked)).collect();
    let found: Vec<u32> = entries.iter().map(|_| u32::from(rng.random::<bool>())).collect();
    let run = reference::upload(backend, &entries).unwrap();
    let tally = backend.tally(&run, &backend.upload(&found).unwrap()).unwrap();
    let change = |(entry, &found): (&(K, (), bool), &u32)| match (entry.2, found) {
        (false, 0) => (entry.0, 1),
        (true, 1) => (entry.0, -1),
        _ => (entry.0, 0),
    };
    ((run, tally), entries.iter().zip(&found).map(change).collect())
}

fn between<K: Code>(changes: &[(K, i64)], lower: K, upper: K) -> i64 {
    changes.iter().filter(|change| lower <= change.0 && change.0 <= upper).map(|change| change.1).sum()
}
