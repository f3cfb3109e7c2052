//! columns: a run leaves the device and returns; columns that do not form a run are refused.

use crate::on_every_backend;
use crate::support::{cases, distinct_keys, host, wide};
use gpu_lsm_primitives::reference::{self, Entries};
use gpu_lsm_primitives::{Array, Backend, Code, Columns, Error, Run};

on_every_backend!(
    runs_come_back_as_they_left_u32,
    runs_come_back_as_they_left_u64,
    what_is_no_run_is_refused,
    every_failure_on_the_way_is_an_error_and_leaks_nothing,
);

fn runs_come_back_as_they_left_u32(backend: &impl Backend) {
    come_back::<_, u32>(backend);
}

fn runs_come_back_as_they_left_u64(backend: &impl Backend) {
    wide(backend, || come_back::<_, u64>(backend));
}

/// With tombstones, every third entry is one.
fn entries<K: Code>(keys: Vec<K>, has_tombstones: bool) -> Entries<K, [u32; 2]> {
    let entry = |(i, key)| match has_tombstones && i % 3 == 0 {
        true => (key, [0; 2], true),
        false => (key, [i as u32, 7], false),
    };
    keys.into_iter().enumerate().map(entry).collect()
}

/// The columns equal the host's, and the run made from them equals the original run.
fn come_back<B: Backend, K: Code>(backend: &B) {
    for (len, mix) in cases() {
        for has_tombstones in [false, true] {
            let entries = entries(distinct_keys::<K>(mix, len, 31), has_tombstones);
            let run = reference::upload(backend, &entries).unwrap();
            let columns = run.to_columns(backend).unwrap();
            let on_host = reference::upload(&host(), &entries).unwrap().to_columns(&host()).unwrap();
            assert_eq!(columns, on_host, "{len} keys, {mix:?}");
            let back = Run::from_columns(backend, columns.clone()).unwrap();
            assert_eq!(back.to_columns(backend).unwrap(), columns, "{len} keys, {mix:?}");
            assert_eq!((back.len, back.tombstones), (run.len, run.tombstones));
            let index = backend.download(&back.index, back.index.len()).unwrap();
            assert!(
                reference::index(&columns.keys, index.len()).eq(index),
                "{len} keys, {mix:?}: it has an index"
            );
        }
    }
}

fn what_is_no_run_is_refused(backend: &impl Backend) {
    let marked = |keys: &[u32], values: &[u32], marks: &[u32]| Columns {
        keys: keys.to_vec(),
        values: values.to_vec(),
        marks: marks.to_vec(),
    };
    let cases = [
        (marked(&[1, 2], &[1], &[]), "2 keys have 1 values"),
        (marked(&[2, 1], &[0, 0], &[]), "key 2 at 0 is not below key 1"),
        (marked(&[1, 3, 3], &[0; 3], &[]), "key 3 at 1 is not below key 3"),
        (marked(&[1, 2], &[0, 1], &[1, 0]), "2 words are the marks of 2 entries"),
        (marked(&[1, 2], &[0, 1], &[0]), "it has marks but no tombstones"),
        (marked(&[1, 2], &[0, 1], &[0b101]), "a bit is set past the last entry"),
        (marked(&[1, 2], &[0, 1], &[0b11]), "the tombstone at 1 has a value"),
        (marked(&[], &[], &[1]), "1 words are the marks of 0 entries"),
    ];
    for (columns, expected) in cases {
        let error = Run::from_columns(backend, columns.clone()).err();
        assert_eq!(error, Some(Error::Malformed { what: expected.into() }), "{columns:?}");
        assert_eq!(backend.meter().in_use(), 0, "found before anything is allocated");
    }
    assert_eq!(Run::from_columns(backend, marked(&[7], &[0], &[1])).unwrap().tombstones, 1);
}

fn every_failure_on_the_way_is_an_error_and_leaks_nothing(backend: &impl Backend) {
    let entries = entries((0..3000u32).collect(), true);
    let run = reference::upload(backend, &entries).unwrap();
    let columns = run.to_columns(backend).unwrap();
    let in_use = backend.meter().in_use();
    type Way<'a> = &'a dyn Fn() -> Result<(), Error>;
    let ways: [Way<'_>; 2] =
        [&|| run.to_columns(backend).map(drop), &|| Run::from_columns(backend, columns.clone()).map(drop)];
    for way in ways {
        for k in 1.. {
            backend.meter().fuse().fail_at(k);
            let result = way();
            if backend.meter().fuse().is_armed() {
                result.expect("no call failed");
                assert!(k > 3, "the hook was never reached");
                break;
            }
            assert!(result.is_err(), "call {k}");
            assert_eq!(backend.meter().in_use(), in_use, "call {k} leaks nothing");
        }
        backend.meter().fuse().fail_at(u64::MAX);
    }
}
