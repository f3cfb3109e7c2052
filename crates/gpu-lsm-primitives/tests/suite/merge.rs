//! merge: all entries of both sides in order, for all combinations of lengths; and the run that they become.

use crate::on_every_backend;
use crate::support::{LARGE, Mix, cases, distinct_keys, fits, marks, wide};
use gpu_lsm_primitives::reference::{self, Entries, bit};
use gpu_lsm_primitives::{Backend, Code, Pile, Tombstones, Value};

// Every width of keys with every width of values: each pair is a separate kernel.
on_every_backend!(
    merges_u32_nothing,
    merges_u32_u32,
    merges_u32_u64,
    merges_u32_wide,
    merges_u64_nothing,
    merges_u64_u32,
    merges_u64_u64,
    merges_u64_wide,
    merges_a_long_run_with_a_short_one_at_either_end,
    merges_what_was_merged_again,
    settles_several_u32_nothing,
    settles_several_u32_u32,
    settles_several_u32_u64,
    settles_several_u32_wide,
    settles_several_u64_u32,
    settles_piles_of_uneven_lengths,
    settles_piles_of_one_key,
    counts_what_repeated_keys_hide,
    drops_everything,
    leaves_out_what_newer_keys_hide,
);

fn merges_u32_nothing(backend: &impl Backend) {
    merges::<_, u32, ()>(backend, |_| ());
}

fn merges_u32_u32(backend: &impl Backend) {
    merges::<_, u32, u32>(backend, |i| !(i as u32));
}

fn merges_u32_u64(backend: &impl Backend) {
    merges::<_, u32, u64>(backend, |i| !(i as u64));
}

fn merges_u32_wide(backend: &impl Backend) {
    merges::<_, u32, u128>(backend, |i| !(i as u128));
}

fn merges_u64_nothing(backend: &impl Backend) {
    wide(backend, || merges::<_, u64, ()>(backend, |_| ()));
}

fn merges_u64_u32(backend: &impl Backend) {
    wide(backend, || merges::<_, u64, u32>(backend, |i| !(i as u32)));
}

fn merges_u64_u64(backend: &impl Backend) {
    wide(backend, || merges::<_, u64, u64>(backend, |i| !(i as u64)));
}

fn merges_u64_wide(backend: &impl Backend) {
    wide(backend, || merges::<_, u64, u128>(backend, |i| !(i as u128)));
}

fn merges<B: Backend, K: Code, V: Value>(backend: &B, value: impl Fn(usize) -> V) {
    let cases = cases();
    for (at, &(newer_len, mix)) in cases.iter().enumerate() {
        // In turn: equal lengths, a shorter older side, a shorter newer side.
        let shorter = cases[at / 2].0;
        let (newer_len, older_len) =
            [(newer_len, newer_len), (newer_len, shorter), (shorter, newer_len)][at % 3];
        let seed = 2 * at as u64;
        let newer = entries::<K, V>(mix, newer_len, seed, 80, &value);
        let older = entries::<K, V>(mix, older_len, seed + 1, 80, &value);
        let live = entries::<K, V>(mix, older_len, seed + 1, 0, &value);
        let case = format!("{newer_len} and {older_len} keys, {mix:?}");
        check(backend, &newer, &older, &case);
        check(backend, &newer, &live, &case);
        check(backend, &live, &newer, &case);
        check(backend, &live, &live, &case);
    }
}

/// All keys of one side lie before, after, or inside one gap of the other side, so all entries of a unit come from one
/// side.
fn merges_a_long_run_with_a_short_one_at_either_end<B: Backend>(backend: &B) {
    let long: Entries<u32, u32> = (0..LARGE as u32).map(|i| (1000 + 2 * i, i, false)).collect();
    let middle = 1001 + LARGE as u32;
    for first in [0, middle | 1, u32::MAX - 9] {
        let short: Entries<u32, u32> = (0..10).map(|i| (first + i, i, i % 3 == 0)).collect();
        check(backend, &short, &long, "short onto long");
        check(backend, &long, &short, "long onto short");
    }
}

/// As in an update: the newer side of the second merge is the unsettled result of the first.
fn merges_what_was_merged_again<B: Backend>(backend: &B) {
    let runs: Vec<Entries<u32, u32>> = (0..4)
        .map(|i| entries(Mix::Few, 5000 * (i + 1), i as u64, if i == 3 { 0 } else { 80 }, |v| v as u32))
        .collect();
    let dense: Vec<Entries<u32, u32>> = (0..4)
        .map(|i| entries(Mix::Dense, 3000 * (i + 1), i as u64, if i == 3 { 0 } else { 80 }, |v| v as u32))
        .collect();
    for runs in [runs, dense] {
        let mut pile = reference::upload(backend, &runs[0]).unwrap().pile();
        let mut expected = runs[0].clone();
        for older in &runs[1..] {
            pile = backend.merge(&pile, &reference::pile(backend, older).unwrap()).unwrap();
            expected = reference::merge(&expected, older);
        }
        settles(backend, &pile, &expected, "three merges in a row");
    }
}

/// As in an update that reaches several levels: up to eight piles, with and without tombstones.
fn settles_several_u32_nothing(backend: &impl Backend) {
    settles_several::<_, u32, ()>(backend, |_| ());
}

fn settles_several_u32_u32(backend: &impl Backend) {
    settles_several::<_, u32, u32>(backend, |i| !(i as u32));
}

fn settles_several_u32_u64(backend: &impl Backend) {
    settles_several::<_, u32, u64>(backend, |i| !(i as u64));
}

fn settles_several_u32_wide(backend: &impl Backend) {
    settles_several::<_, u32, u128>(backend, |i| !(i as u128));
}

fn settles_several_u64_u32(backend: &impl Backend) {
    wide(backend, || settles_several::<_, u64, u32>(backend, |i| !(i as u32)));
}

fn settles_several<B: Backend, K: Code, V: Value>(backend: &B, value: impl Fn(usize) -> V) {
    for (at, (len, mix)) in cases().into_iter().enumerate() {
        let several = 3 + at % 6;
        for chance in [0, 80] {
            // The newest are the shortest, and the third is always empty.
            let piles: Vec<Entries<K, V>> = (0..several)
                .map(|age| if age == 2 { 0 } else { len >> ((several - age) / 2) })
                .enumerate()
                .map(|(age, len)| entries(mix, len, (8 * at + age) as u64, chance, &value))
                .collect();
            settles_all(backend, &piles, &format!("{several} piles, the oldest of {len} keys, {mix:?}"));
        }
    }
}

/// Tiles that have keys of one list only, and lists that end within a tile.
fn settles_piles_of_uneven_lengths<B: Backend>(backend: &B) {
    settles_uneven::<B, u32>(backend, u32::MAX.into());
    wide(backend, || settles_uneven::<B, u64>(backend, u64::MAX));
}

fn settles_uneven<B: Backend, K: Code>(backend: &B, max: u64) {
    let pile = |first: u64, len: u64, step: u64| -> Entries<K, u32> {
        (0..len).map(|i| (K::truncated(first + i * step), i as u32, false)).collect()
    };
    let most = if fits(LARGE) { LARGE } else { 9000 };
    let (long, short) = (pile(1000, most as u64, 3), pile(7, 10, 1000));
    let (last, ends) = (pile(max - 9, 10, 1), pile(0, 2, max));
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        let piles = order.map(|i| [&long, &short, &last, &ends][i].clone());
        settles_all(backend, &piles, &format!("{order:?}"));
        settles_all(backend, &piles[..3], &format!("the first three of {order:?}"));
    }
}

/// All keys are equal, so every tile and every unit starts among equal keys. The newest pile repeats its key.
fn settles_piles_of_one_key<B: Backend>(backend: &B) {
    settles_one_key::<B, u32>(backend);
    wide(backend, || settles_one_key::<B, u64>(backend));
}

fn settles_one_key<B: Backend, K: Code>(backend: &B) {
    for key in [K::MIN, K::truncated(77), K::MAX] {
        let newest: Entries<K, u32> = (0..6000).map(|i| (key, i, false)).collect();
        let older = |age: u32| -> Entries<K, u32> { vec![(key, 10_000 * age, false)] };
        settles_all(backend, &[newest.clone(), older(1), older(2)], "three piles");
        settles_all(backend, &[older(1), newest.clone(), older(2), newest], "four piles");
    }
}

fn settles_all<B: Backend, K: Code, V: Value>(backend: &B, piles: &[Entries<K, V>], case: &str) {
    let uploaded: Vec<_> = piles.iter().map(|entries| reference::pile(backend, entries).unwrap()).collect();
    let older: Vec<_> = uploaded[1..].iter().collect();
    let expected = piles[1..].iter().fold(piles[0].clone(), |newer, older| reference::merge(&newer, older));
    becomes(backend, &uploaded[0], &older, &expected, case);
}

/// Without tombstones: keys repeat on the newer side, across the edges of units and tiles.
fn counts_what_repeated_keys_hide<B: Backend>(backend: &B) {
    wide(backend, || hides_repeated::<B, u64>(backend));
    hides_repeated::<B, u32>(backend);
}

fn hides_repeated<B: Backend, K: Code>(backend: &B) {
    for (seed, (len, mix)) in (0..).zip(cases()) {
        let again = entries::<K, u32>(mix, len / 2, 2 * seed + 1, 0, |i| i as u32);
        let newer = reference::merge(&entries(mix, len, 2 * seed, 0, |i| !(i as u32)), &again);
        let older = entries::<K, u32>(mix, len, 2 * seed + 2, 0, |i| i as u32);
        settles_both(backend, &newer, &older, &format!("{len} keys, {mix:?}"));
    }
    for key in [K::MIN, K::truncated(77), K::MAX] {
        let newer: Entries<K, u32> = (0..5000).map(|i| (key, i, false)).collect();
        settles_both(backend, &newer, &vec![(key, 1, false)], "one key, everywhere");
        settles_both(backend, &newer, &vec![(K::truncated(5), 1, false)], "one key, and another");
    }
}

fn settles_both<B: Backend, K: Code>(
    backend: &B,
    newer: &Entries<K, u32>,
    older: &Entries<K, u32>,
    case: &str,
) {
    let newer_pile = reference::pile(backend, newer).unwrap();
    let older_pile = reference::pile(backend, older).unwrap();
    becomes(backend, &newer_pile, &[&older_pile], &reference::merge(newer, older), case);
}

fn drops_everything<B: Backend>(backend: &B) {
    wide(backend, || {
        let older: Entries<u64, u32> = (0..9000).map(|i| (i * 7, 1, false)).collect();
        let newer: Entries<u64, u32> = (0..9000).map(|i| (i * 7, 0, true)).collect();
        check(backend, &newer, &older, "a tombstone for every key");
        check(backend, &newer, &Entries::new(), "tombstones alone");
    });
}

/// The input of a merge if both sides together are too long for an array.
fn leaves_out_what_newer_keys_hide<B: Backend>(backend: &B) {
    wide(backend, || hides::<B, u64>(backend));
    hides::<B, u32>(backend);
}

fn hides<B: Backend, K: Code>(backend: &B) {
    for (seed, (len, mix)) in (0..).zip(cases()) {
        let again = entries::<K, u32>(mix, len / 2, 2 * seed + 1, 80, |i| i as u32);
        let newer = reference::merge(&entries(mix, len, 2 * seed, 80, |i| !(i as u32)), &again);
        let older = entries::<K, u32>(mix, len, 2 * seed + 2, 80, |i| i as u32);
        let (newer_pile, older_pile) =
            (reference::pile(backend, &newer).unwrap(), reference::pile(backend, &older).unwrap());
        let [shorter, rest] = backend.shortened(&newer_pile, &older_pile).unwrap();
        let newer = reference::settle(&newer, Tombstones::Keep);
        let is_hidden = |key: K| newer.binary_search_by_key(&key, |entry| entry.0).is_ok();
        let older: Entries<K, u32> = older.into_iter().filter(|entry| !is_hidden(entry.0)).collect();
        for (pile, expected) in [(shorter, &newer), (rest, &older)] {
            assert_eq!(pile.len, expected.len(), "{len} keys, {mix:?}");
            let difference = reference::pile_difference(backend, &pile, expected).unwrap();
            assert_eq!(difference, None, "{len} keys, {mix:?}");
        }
    }
}

/// Distinct ascending keys with values. Each is a tombstone with value zero with the given chance in 256.
fn entries<K: Code, V: Value>(
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

fn check<B: Backend, K: Code, V: Value>(
    backend: &B,
    newer: &Entries<K, V>,
    older: &Entries<K, V>,
    case: &str,
) {
    let newer_pile = reference::upload(backend, newer).unwrap().pile();
    let older_pile = reference::pile(backend, older).unwrap();
    let merged = backend.merge(&newer_pile, &older_pile).unwrap();
    let expected = reference::merge(newer, older);
    settles(backend, &merged, &expected, case);
    becomes(backend, &newer_pile, &[&older_pile], &expected, case);
}

/// Compares a pile, and the runs that it becomes, with the expected ones.
fn settles<B: Backend, K: Code, V: Value>(
    backend: &B,
    pile: &Pile<B, K, V>,
    expected: &Entries<K, V>,
    case: &str,
) {
    assert_eq!(reference::pile_difference(backend, pile, expected).unwrap(), None, "{case}");
    becomes(backend, pile, &[], expected, case);
}

/// Compares the runs that a pile and older ones become.
fn becomes<B: Backend, K: Code, V: Value>(
    backend: &B,
    newer: &Pile<B, K, V>,
    older: &[&Pile<B, K, V>],
    expected: &Entries<K, V>,
    case: &str,
) {
    for tombstones in [Tombstones::Keep, Tombstones::Drop] {
        let run =
            backend.settle(newer.clone(), older.iter().copied().cloned().collect(), tombstones).unwrap();
        let expected = reference::settle(expected, tombstones);
        let difference = reference::difference(backend, &run, &expected).unwrap();
        assert_eq!(difference, None, "{case}, {tombstones:?}");
    }
}
