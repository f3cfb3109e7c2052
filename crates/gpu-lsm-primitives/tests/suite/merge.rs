//! merge: the newer entry wins, tombstones stay or go, whatever the lengths of the two sides are.

use crate::on_every_backend;
use crate::support::{self, LARGE, Mix, cases, distinct_keys, marks, wide};
use gpu_lsm_primitives::reference::{self, Entries, bit};
use gpu_lsm_primitives::{Backend, Key, Tombstones, Value};

on_every_backend!(
    merges_u32_u32,
    merges_u64_u64,
    merges_u64_wide,
    merges_u32_nothing,
    merges_a_long_run_with_a_short_one_at_either_end,
    merges_pending_entries_again,
    drops_everything,
);

fn merges_u32_u32(backend: &impl Backend) {
    merges::<_, u32, u32>(backend, |i| i as u32 ^ 0x5555_5555);
}

fn merges_u64_u64(backend: &impl Backend) {
    wide(backend, || merges::<_, u64, u64>(backend, |i| !(i as u64)));
}

fn merges_u64_wide(backend: &impl Backend) {
    wide(backend, || merges::<_, u64, u128>(backend, |i| !(i as u128)));
}

fn merges_u32_nothing(backend: &impl Backend) {
    merges::<_, u32, ()>(backend, |_| ());
}

fn merges<B: Backend, K: Key, V: Value>(backend: &B, value: impl Fn(usize) -> V) {
    let cases = cases();
    for (at, &(newer_len, mix)) in cases.iter().enumerate() {
        // By turns equal lengths, and a shorter one on the older or on the newer side.
        let shorter = cases[at / 2].0;
        let (newer_len, older_len) =
            [(newer_len, newer_len), (newer_len, shorter), (shorter, newer_len)][at % 3];
        let seed = 2 * at as u64;
        let newer = entries::<K, V>(mix, newer_len, seed, 80, &value);
        let older = entries::<K, V>(mix, older_len, seed + 1, 80, &value);
        let live = entries::<K, V>(mix, older_len, seed + 1, 0, &value);
        let case = format!("{newer_len} and {older_len} keys, {mix:?}");
        check(backend, &newer, &older, Tombstones::Keep, &case);
        check(backend, &newer, &live, Tombstones::Drop, &case);
        check(backend, &live, &newer, Tombstones::Keep, &case);
    }
}

/// One side's keys all lie before, after or inside one gap of the other's: a unit's whole share is on one side.
fn merges_a_long_run_with_a_short_one_at_either_end<B: Backend>(backend: &B) {
    let long: Entries<u32, u32> = (0..LARGE as u32).map(|i| (1000 + 2 * i, i, false)).collect();
    let middle = 1001 + LARGE as u32;
    for first in [0, middle | 1, u32::MAX - 9] {
        let short: Entries<u32, u32> = (0..10).map(|i| (first + i, i, i % 3 == 0)).collect();
        check(backend, &short, &long, Tombstones::Drop, "short onto long");
        check(backend, &long, &short, Tombstones::Keep, "long onto short");
    }
}

/// As in an update: the newer side of the second merge is the unsettled result of the first.
fn merges_pending_entries_again<B: Backend>(backend: &B) {
    let runs: Vec<Entries<u32, u32>> = (0..4)
        .map(|i| entries(Mix::Few, 5000 * (i + 1), i as u64, if i == 3 { 0 } else { 80 }, |v| v as u32))
        .collect();
    let dense: Vec<Entries<u32, u32>> = (0..4)
        .map(|i| entries(Mix::Dense, 3000 * (i + 1), i as u64, if i == 3 { 0 } else { 80 }, |v| v as u32))
        .collect();
    for runs in [runs, dense] {
        let mut pending = reference::upload(backend, &runs[0]).unwrap().pending(backend).unwrap();
        let mut expected = runs[0].clone();
        for (i, older) in runs.iter().enumerate().skip(1) {
            let tombstones = if i == 3 { Tombstones::Drop } else { Tombstones::Keep };
            pending =
                backend.merge(&pending, &reference::upload(backend, older).unwrap(), tombstones).unwrap();
            expected = reference::merge(&expected, older, tombstones);
        }
        support::check(backend, pending, &expected, "three merges in a row");
    }
}

fn drops_everything<B: Backend>(backend: &B) {
    wide(backend, || {
        let older: Entries<u64, u32> = (0..9000).map(|i| (i * 7, 1, false)).collect();
        let newer: Entries<u64, u32> = (0..9000).map(|i| (i * 7, 0, true)).collect();
        check(backend, &newer, &older, Tombstones::Drop, "a tombstone for every key");
        check(backend, &newer, &Entries::new(), Tombstones::Drop, "tombstones alone");
    });
}

/// Distinct ascending keys with values, tombstones with the given chance in 256 and value zero.
fn entries<K: Key, V: Value>(
    mix: Mix,
    len: usize,
    seed: u64,
    chance: u8,
    value: impl Fn(usize) -> V,
) -> Entries<K, V> {
    let keys = distinct_keys::<K>(mix, len, seed);
    let marks = marks(keys.len(), chance, seed);
    let entry = |(i, key)| match bit(&marks, i) {
        true => (key, V::zeroed(), true),
        false => (key, value(i + seed as usize), false),
    };
    keys.into_iter().enumerate().map(entry).collect()
}

fn check<B: Backend, K: Key, V: Value>(
    backend: &B,
    newer: &Entries<K, V>,
    older: &Entries<K, V>,
    tombstones: Tombstones,
    case: &str,
) {
    let newer_run = reference::upload(backend, newer).unwrap().pending(backend).unwrap();
    let merged = backend.merge(&newer_run, &reference::upload(backend, older).unwrap(), tombstones).unwrap();
    let expected = reference::merge(newer, older, tombstones);
    support::check(backend, merged, &expected, &format!("{case}, {tombstones:?}"));
}
