//! search: runs are searched newest first, and the first entry of a key is the answer.

use crate::on_every_backend;
use crate::support::{around, cases, distinct_keys, keys, uneven_keys, wide};
use gpu_lsm_primitives::reference::{self, Entries};
use gpu_lsm_primitives::{Backend, Code, Turn, Value};
use std::fmt::Debug;

// Every width of keys with every width of values: each pair is a separate kernel.
on_every_backend!(
    finds_u32_nothing,
    finds_u32_u32,
    finds_u32_u64,
    finds_u32_wide,
    finds_u64_nothing,
    finds_u64_u32,
    finds_u64_u64,
    finds_u64_wide,
    finds_uneven_u32,
    finds_uneven_u64,
    one_run_with_tombstones_answers_alone,
);

fn finds_u32_u32(backend: &impl Backend) {
    finds::<_, u32, u32>(backend, |i| i as u32 | 1 << 31);
}

fn finds_u32_u64(backend: &impl Backend) {
    finds::<_, u32, u64>(backend, |i| !(i as u64));
}

fn finds_u32_wide(backend: &impl Backend) {
    finds::<_, u32, u128>(backend, |i| !(i as u128));
}

fn finds_u64_nothing(backend: &impl Backend) {
    wide(backend, || finds::<_, u64, ()>(backend, |_| ()));
}

fn finds_u64_u32(backend: &impl Backend) {
    wide(backend, || finds::<_, u64, u32>(backend, |i| i as u32 | 1 << 31));
}

fn finds_u64_u64(backend: &impl Backend) {
    wide(backend, || finds::<_, u64, u64>(backend, |i| !(i as u64)));
}

fn finds_u64_wide(backend: &impl Backend) {
    wide(backend, || finds::<_, u64, u128>(backend, |i| !(i as u128)));
}

fn finds_u32_nothing(backend: &impl Backend) {
    finds::<_, u32, ()>(backend, |_| ());
}

/// Three runs, of which the newer two have tombstones, and queries for present and absent keys.
fn finds<B: Backend, K: Code, V: Value + PartialEq + Debug>(backend: &B, value: impl Fn(usize) -> V) {
    for (len, mix) in cases() {
        let runs: Vec<Entries<K, V>> = (0..3)
            .map(|age| {
                let keys = distinct_keys::<K>(mix, len, age);
                let entry = |(i, key)| match age < 2 && i % 3 == 0 {
                    true => (key, V::zeroed(), true),
                    false => (key, value(i), false),
                };
                keys.into_iter().enumerate().map(entry).collect()
            })
            .collect();
        let mut queries: Vec<K> = keys(mix, len, 2);
        queries.extend(keys::<K>(mix, len.div_ceil(2), 99));
        queries.extend([K::MIN, K::MAX]);

        let mut answers = backend.answers::<V>(queries.len()).unwrap();
        let on_device = backend.upload(&queries).unwrap();
        for (age, run) in runs.iter().enumerate() {
            let turn = Turn { first: age == 0, last: age == 2 };
            let run = reference::upload(backend, run).unwrap();
            backend.search(&run, &on_device, &mut answers, turn).unwrap();
        }
        let found = backend.download(&answers.found, queries.len()).unwrap();
        let values = backend.download(&answers.values, queries.len()).unwrap();

        let runs: Vec<_> = runs.iter().collect();
        for (i, &query) in queries.iter().enumerate() {
            let expected = reference::search(&runs, query);
            assert_eq!(found[i], u32::from(expected.is_some()), "{len} keys, {mix:?}, query {query}");
            assert_eq!(values[i], expected.unwrap_or(V::zeroed()), "value of {query}");
        }
    }
}

fn finds_uneven_u32(backend: &impl Backend) {
    finds_uneven::<_, u32>(backend);
}

fn finds_uneven_u64(backend: &impl Backend) {
    wide(backend, || finds_uneven::<_, u64>(backend));
}

/// Every key and its neighbours, if keys are not where an even spread would put them.
fn finds_uneven<B: Backend, K: Code>(backend: &B) {
    for keys in uneven_keys::<K>() {
        let run: Entries<K, u32> =
            keys.iter().enumerate().map(|(i, &key)| (key, i as u32 + 1, false)).collect();
        let queries = around(&keys);
        let on_device = backend.upload(&queries).unwrap();
        let mut answers = backend.answers::<u32>(queries.len()).unwrap();
        let turn = Turn { first: true, last: true };
        backend.search(&reference::upload(backend, &run).unwrap(), &on_device, &mut answers, turn).unwrap();
        let found = backend.download(&answers.found, queries.len()).unwrap();
        let values = backend.download(&answers.values, queries.len()).unwrap();
        for (i, &query) in queries.iter().enumerate() {
            let expected = reference::search(&[&run], query);
            let expected = (u32::from(expected.is_some()), expected.unwrap_or(0));
            assert_eq!(
                (found[i], values[i]),
                expected,
                "{query} among {} keys up to {:?}",
                keys.len(),
                keys.last()
            );
        }
    }
}

/// A run that is both the first and the last one: keys that it deletes are missing, and nothing of the answers'
/// previous content is left.
fn one_run_with_tombstones_answers_alone<B: Backend>(backend: &B) {
    let run: Entries<u32, u32> =
        (0..1000).map(|i| (3 * i, if i % 2 == 0 { 0 } else { i }, i % 2 == 0)).collect();
    let queries: Vec<u32> = (0..4000).collect();
    let on_device = backend.upload(&queries).unwrap();
    let on_device_run = reference::upload(backend, &run).unwrap();
    let mut answers = backend.answers::<u32>(queries.len()).unwrap();
    for turn in [Turn { first: true, last: false }, Turn { first: true, last: true }] {
        backend.search(&on_device_run, &on_device, &mut answers, turn).unwrap();
    }
    let found = backend.download(&answers.found, queries.len()).unwrap();
    let values = backend.download(&answers.values, queries.len()).unwrap();
    for (i, &query) in queries.iter().enumerate() {
        let expected = reference::search(&[&run], query);
        assert_eq!((found[i], values[i]), (u32::from(expected.is_some()), expected.unwrap_or(0)), "{query}");
    }
}
