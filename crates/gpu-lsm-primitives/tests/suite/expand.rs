//! expand: the entries of intervals of very unequal lengths, one query after the other.

use crate::on_every_backend;
use crate::support::{fits, wide};
use gpu_lsm_primitives::reference::{self, Entries};
use gpu_lsm_primitives::{Backend, Code, Start, Value};
use std::fmt::Debug;

// Every width of keys with every width of values: each pair is a separate kernel.
on_every_backend!(
    expands_u32_nothing,
    expands_u32_u32,
    expands_u32_u64,
    expands_u32_wide,
    expands_u64_nothing,
    expands_u64_u32,
    expands_u64_u64,
    expands_u64_wide,
);

fn expands_u32_nothing(backend: &impl Backend) {
    expands::<_, u32, ()>(backend, |_| ());
}

fn expands_u32_u32(backend: &impl Backend) {
    expands::<_, u32, u32>(backend, |i| !(i as u32));
}

fn expands_u32_u64(backend: &impl Backend) {
    expands::<_, u32, u64>(backend, |i| !(i as u64));
}

fn expands_u32_wide(backend: &impl Backend) {
    expands::<_, u32, u128>(backend, |i| !(i as u128));
}

fn expands_u64_nothing(backend: &impl Backend) {
    wide(backend, || expands::<_, u64, ()>(backend, |_| ()));
}

fn expands_u64_u32(backend: &impl Backend) {
    wide(backend, || expands::<_, u64, u32>(backend, |i| !(i as u32)));
}

fn expands_u64_u64(backend: &impl Backend) {
    wide(backend, || expands::<_, u64, u64>(backend, |i| !(i as u64)));
}

fn expands_u64_wide(backend: &impl Backend) {
    wide(backend, || expands::<_, u64, u128>(backend, |i| !(i as u128)));
}

/// One query over everything, and before and after it thousands of queries with no or few entries.
fn expands<B: Backend, K: Code, V: Value + PartialEq + Debug>(backend: &B, value: impl Fn(usize) -> V) {
    let cases = [(10, 5), (5000, 0), (5000, 900), (100_000, 9000)];
    for (len, small) in cases.into_iter().filter(|case| fits(case.0)) {
        let entry = |i: usize| {
            let is_tombstone = i % 5 == 2;
            (K::truncated(i as u64 * 10), if is_tombstone { V::zeroed() } else { value(i) }, is_tombstone)
        };
        let entries: Entries<K, V> = (0..len).map(entry).collect();
        let run = reference::upload(backend, &entries).unwrap();
        let mut intervals: Vec<(u64, u64)> = (0..small).map(|i| (i * 97, i * 97 + i % 31)).collect();
        intervals.extend(std::iter::repeat_n((3, 1), 2000));
        intervals.push((0, len as u64 * 10));
        intervals.extend((0..small).map(|i| (i * 89, i * 89 + i % 50)));

        let column = |bound: fn(&(u64, u64)) -> u64| -> Vec<K> {
            intervals.iter().map(|interval| K::truncated(bound(interval))).collect()
        };
        let lower = backend.upload(&column(|interval| interval.0)).unwrap();
        let upper = backend.upload(&column(|interval| interval.1)).unwrap();
        let bounds = backend.bounds(&run, &lower, &upper, Start::At).unwrap();
        let total = backend.read_counts(&[&bounds.total]).unwrap()[0] as usize;
        // With room for more entries than there are.
        let candidates = backend.expand(&run, &bounds, total + 40).unwrap();

        let mut expected = Vec::new();
        for (query, &(lower, upper)) in intervals.iter().enumerate() {
            let first = lower.div_ceil(10) as usize;
            let end = (upper as usize / 10 + 1).min(len);
            expected.extend((first..end.max(first)).map(|i| (query as u32, entries[i])));
        }
        assert_eq!(total, expected.len());
        let found = &candidates.entries;
        let offsets = backend.download(&candidates.offsets, intervals.len() + 1).unwrap();
        let before = |query: usize| expected.partition_point(|e| (e.0 as usize) < query) as u32;
        assert!(offsets.iter().copied().eq((0..=intervals.len()).map(before)), "offsets of {len}");
        let keys = backend.download(&found.keys, total).unwrap();
        assert!(keys.iter().eq(expected.iter().map(|e| &e.1.0)), "keys of {len}");
        let values = backend.download(&found.values, total).unwrap();
        assert!(values.iter().eq(expected.iter().map(|e| &e.1.1)), "values of {len}");
        let marks = found.marks.as_ref().unwrap();
        let marks = backend.download(marks, total.div_ceil(32)).unwrap();
        assert!((0..total).all(|i| reference::bit(&marks, i) == expected[i].1.2), "marks of {len}");
    }
}
