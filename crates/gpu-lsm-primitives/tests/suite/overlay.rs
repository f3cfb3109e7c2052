//! overlay: for each query the newest entry of each key, through three runs, and then without tombstones.

use crate::on_every_backend;
use crate::support::{Mix, distinct_keys, fits, keys, wide};
use gpu_lsm_primitives::reference::{self, Entries};
use gpu_lsm_primitives::{Backend, Candidates, Key, Start, Tombstones, Value};
use std::fmt::Debug;

on_every_backend!(overlays_u32_u32, overlays_u64_wide, overlays_u32_nothing);

fn overlays_u32_u32(backend: &impl Backend) {
    overlays::<_, u32, u32>(backend, |i| !(i as u32));
}

fn overlays_u64_wide(backend: &impl Backend) {
    wide(backend, || overlays::<_, u64, [u32; 4]>(backend, |i| [i as u32, 1, 2, 3]));
}

fn overlays_u32_nothing(backend: &impl Backend) {
    overlays::<_, u32, ()>(backend, |_| ());
}

fn overlays<B: Backend, K: Key, V: Value + PartialEq + Debug>(backend: &B, value: impl Fn(usize) -> V) {
    let cases = [
        (Mix::Ends, 16, 50),
        (Mix::Few, 16, 2000),
        (Mix::Dense, 3 * 4096 + 7, 30),
        (Mix::Random, 4096, 60),
        (Mix::Dense, 70_001, 9),
    ];
    for (mix, len, queries) in cases.into_iter().filter(|case| fits(case.1)) {
        let runs: Vec<Entries<K, V>> = (0..3).map(|age| run(mix, len / (3 - age), age, &value)).collect();
        let mut lower = keys::<K>(mix, queries, 71);
        let mut upper = keys::<K>(mix, queries, 72);
        // A query over everything, in the middle.
        (lower[queries / 2], upper[queries / 2]) = (K::MIN, K::MAX);

        let mut overlaid: Option<Candidates<B, K, V>> = None;
        for run in &runs {
            let older = candidates(backend, run, &lower, &upper);
            overlaid = Some(match overlaid {
                Some(newer) => backend.overlay(&newer, &older).unwrap(),
                None => older,
            });
            let age = runs.iter().position(|other| std::ptr::eq(other, run)).unwrap();
            let expected = expected(&runs[..=age], &lower, &upper, Tombstones::Keep);
            check(
                backend,
                overlaid.clone().unwrap(),
                &expected,
                &format!("{mix:?}, {len}, through run {age}"),
            );
        }
        let live = backend.live(overlaid.unwrap()).unwrap();
        check(backend, live, &expected(&runs, &lower, &upper, Tombstones::Drop), "without tombstones");
    }
}

fn run<K: Key, V: Value>(mix: Mix, len: usize, age: usize, value: impl Fn(usize) -> V) -> Entries<K, V> {
    let entry = |(i, key)| match age < 2 && i % 3 == 0 {
        true => (key, V::zeroed(), true),
        false => (key, value(i + age), false),
    };
    distinct_keys::<K>(mix, len, age as u64).into_iter().enumerate().map(entry).collect()
}

fn candidates<B: Backend, K: Key, V: Value>(
    backend: &B,
    run: &Entries<K, V>,
    lower: &[K],
    upper: &[K],
) -> Candidates<B, K, V> {
    let run = reference::upload(backend, run).unwrap();
    let (lower, upper) = (backend.upload(lower).unwrap(), backend.upload(upper).unwrap());
    let bounds = backend.bounds(&run, &lower, &upper, Start::At).unwrap();
    let total = backend.read_counts(&[&bounds.total]).unwrap()[0] as usize;
    backend.expand(&run, &bounds, total).unwrap()
}

/// For each query, in turn, the merged entries of all runs that lie in its interval.
fn expected<K: Key, V: Value>(
    runs: &[Entries<K, V>],
    lower: &[K],
    upper: &[K],
    tombstones: Tombstones,
) -> Vec<(u32, (K, V, bool))> {
    let keep = Tombstones::Keep;
    let merged = runs.iter().fold(Entries::new(), |newer, older| reference::merge(&newer, older, keep));
    let in_query = |q: usize| {
        let is_in =
            move |e: &&(K, V, bool)| lower[q] <= e.0 && e.0 <= upper[q] && (tombstones == keep || !e.2);
        merged.iter().filter(is_in).map(move |entry| (q as u32, *entry))
    };
    (0..lower.len()).flat_map(in_query).collect()
}

fn check<B: Backend, K: Key, V: Value + PartialEq + Debug>(
    backend: &B,
    candidates: Candidates<B, K, V>,
    expected: &[(u32, (K, V, bool))],
    case: &str,
) {
    let count = backend.read_counts(&[&candidates.entries.count]).unwrap()[0] as usize;
    assert_eq!(count, expected.len(), "{case}: length");
    let queries = backend.download(&candidates.queries, count).unwrap();
    assert!(queries.iter().eq(expected.iter().map(|e| &e.0)), "{case}: queries");
    let entries: Entries<K, V> = expected.iter().map(|e| e.1).collect();
    assert_eq!(reference::difference(backend, candidates.entries, &entries).unwrap(), None, "{case}");
}
