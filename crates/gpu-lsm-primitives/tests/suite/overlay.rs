//! overlay: the entries of each query from three runs, and the live ones among them.

use crate::on_every_backend;
use crate::support::{Mix, distinct_keys, fits, keys, wide};
use gpu_lsm_primitives::reference::{self, Entries};
use gpu_lsm_primitives::{Backend, Candidates, Code, Start, Tombstones, Value};

// Every width of keys with every width of values: each pair is a separate kernel.
on_every_backend!(
    overlays_u32_nothing,
    overlays_u32_u32,
    overlays_u32_u64,
    overlays_u32_wide,
    overlays_u64_nothing,
    overlays_u64_u32,
    overlays_u64_u64,
    overlays_u64_wide,
);

fn overlays_u32_nothing(backend: &impl Backend) {
    overlays::<_, u32, ()>(backend, |_| ());
}

fn overlays_u32_u32(backend: &impl Backend) {
    overlays::<_, u32, u32>(backend, |i| !(i as u32));
}

fn overlays_u32_u64(backend: &impl Backend) {
    overlays::<_, u32, u64>(backend, |i| !(i as u64));
}

fn overlays_u32_wide(backend: &impl Backend) {
    overlays::<_, u32, u128>(backend, |i| !(i as u128));
}

fn overlays_u64_nothing(backend: &impl Backend) {
    wide(backend, || overlays::<_, u64, ()>(backend, |_| ()));
}

fn overlays_u64_u32(backend: &impl Backend) {
    wide(backend, || overlays::<_, u64, u32>(backend, |i| !(i as u32)));
}

fn overlays_u64_u64(backend: &impl Backend) {
    wide(backend, || overlays::<_, u64, u64>(backend, |i| !(i as u64)));
}

fn overlays_u64_wide(backend: &impl Backend) {
    wide(backend, || overlays::<_, u64, u128>(backend, |i| !(i as u128)));
}

fn overlays<B: Backend, K: Code, V: Value>(backend: &B, value: impl Fn(usize) -> V) {
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
        // One query over everything, in the middle.
        (lower[queries / 2], upper[queries / 2]) = (K::MIN, K::MAX);

        let mut overlaid: Option<Candidates<B, K, V>> = None;
        for (age, run) in runs.iter().enumerate() {
            let run = reference::upload(backend, run).unwrap();
            let on_device = (backend.upload(&lower).unwrap(), backend.upload(&upper).unwrap());
            let bounds = backend.bounds(&run, &on_device.0, &on_device.1, Start::At).unwrap();
            let total = backend.read_counts(&[&bounds.total]).unwrap()[0] as usize;
            overlaid = Some(match &overlaid {
                Some(newer) => backend.overlay(newer, &run, &bounds, total).unwrap(),
                None => backend.expand(&run, &bounds, total).unwrap(),
            });
            let through =
                runs[..=age].iter().fold(Entries::new(), |newer, run| reference::merge(&newer, run));
            let expected = in_queries(&through, &lower, &upper);
            let case = format!("{mix:?}, {len}, through run {age}");
            check(backend, overlaid.as_ref().unwrap(), &expected, &case);
            let live = reference::settle(&through, Tombstones::Drop);
            let found = backend.live(overlaid.as_ref().unwrap()).unwrap();
            check(backend, &found, &in_queries(&live, &lower, &upper), &format!("{case}, what is live"));
        }
    }
}

fn run<K: Code, V: Value>(mix: Mix, len: usize, age: usize, value: impl Fn(usize) -> V) -> Entries<K, V> {
    let entry = |(i, key)| match age < 2 && i % 3 == 0 {
        true => (key, V::zeroed(), true),
        false => (key, value(i + age), false),
    };
    distinct_keys::<K>(mix, len, age as u64).into_iter().enumerate().map(entry).collect()
}

/// For each query, the entries in its interval.
fn in_queries<K: Code, V: Value>(entries: &Entries<K, V>, lower: &[K], upper: &[K]) -> Vec<Entries<K, V>> {
    let is_in = |q: usize, key: K| lower[q] <= key && key <= upper[q];
    let in_query = |q| entries.iter().filter(|entry| is_in(q, entry.0)).copied().collect();
    (0..lower.len()).map(in_query).collect()
}

fn check<B: Backend, K: Code, V: Value>(
    backend: &B,
    candidates: &Candidates<B, K, V>,
    expected: &[Entries<K, V>],
    case: &str,
) {
    let lens: Vec<u32> = expected.iter().map(|entries| entries.len() as u32).collect();
    let offsets = backend.download(&candidates.offsets, lens.len() + 1).unwrap();
    assert_eq!(offsets, reference::scan(&lens), "{case}: offsets");
    let difference = reference::pile_difference(backend, &candidates.entries, &expected.concat());
    assert_eq!(difference.unwrap(), None, "{case}");
}
