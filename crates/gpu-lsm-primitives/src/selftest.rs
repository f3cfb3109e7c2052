//! A self-test of a device: compares every primitive with the sequential reference, byte for byte.

use crate::backend::{Backend, Start, Turn, Way};
use crate::code::Code;
use crate::entries::{Tally, Tombstones};
use crate::error::Result;
use crate::recoding::Recoding;
use crate::reference::{self, Entries};
use crate::tuning::{COVER_SPLITS, TILE};
use crate::value::Value;

/// A check of one primitive.
pub struct Check<B> {
    /// The primitive and the keys that it works on.
    pub name: &'static str,
    /// Runs the primitive on a device. Returns whether the result is right.
    pub is_right: fn(&B) -> Result<bool>,
}

/// The checks of every primitive with 32-bit keys.
pub fn checks_u32<B: Backend>() -> [Check<B>; 10] {
    [
        Check { name: "recode, copy and fill", is_right: |backend| in_every_case(backend, recode) },
        Check {
            name: "mask",
            is_right: |b| Ok(in_every_case(b, mask::<B, u32>)? && in_every_case(b, mask::<B, u64>)?),
        },
        Check { name: "scan", is_right: |backend| in_every_case(backend, scan) },
        Check { name: "sort of 32-bit keys", is_right: |backend| in_every_case(backend, sort::<B, u32>) },
        Check { name: "select of 32-bit keys", is_right: |b| in_every_case(b, select::<B, u32, u32>) },
        Check { name: "merge of 32-bit keys", is_right: |b| in_every_case(b, merge::<B, u32, [u32; 4]>) },
        Check { name: "search for 32-bit keys", is_right: |b| in_every_case(b, search::<B, u32, u64>) },
        Check { name: "tally of 32-bit keys", is_right: |b| in_every_case(b, tally::<B, u32>) },
        Check { name: "overlay of 32-bit keys", is_right: |b| in_every_case(b, overlay::<B, u32, u32>) },
        Check { name: "window of 32-bit keys", is_right: |b| in_every_case(b, window::<B, u32>) },
    ]
}

/// The checks of every primitive with 64-bit keys.
pub fn checks_u64<B: Backend>() -> [Check<B>; 8] {
    [
        Check { name: "sort of 64-bit keys", is_right: |backend| in_every_case(backend, sort::<B, u64>) },
        Check { name: "select of 64-bit keys", is_right: |b| in_every_case(b, select::<B, u64, ()>) },
        Check { name: "merge of 64-bit keys", is_right: |b| in_every_case(b, merge::<B, u64, u32>) },
        Check { name: "search for 64-bit keys", is_right: |b| in_every_case(b, search::<B, u64, u32>) },
        Check { name: "tally of 64-bit keys", is_right: |b| in_every_case(b, tally::<B, u64>) },
        Check { name: "overlay of 64-bit keys", is_right: |b| in_every_case(b, overlay::<B, u64, u64>) },
        Check { name: "window of 64-bit keys", is_right: |b| in_every_case(b, window::<B, u64>) },
        Check { name: "rectangles of points", is_right: |backend| in_every_case(backend, rectangles) },
    ]
}

/// Sizes below, at and above the edge of a tile, and far above 65,536. Each comes with the number of distinct keys; few
/// distinct keys make long stretches of equal ones.
const CASES: [(usize, u64); 8] = [
    (TILE as usize - 1, 5),
    (TILE as usize - 1, u64::MAX),
    (TILE as usize, 5),
    (TILE as usize, u64::MAX),
    (3 * TILE as usize + 7, 5),
    (3 * TILE as usize + 7, 100_000),
    (3 * TILE as usize + 7, u64::MAX),
    ((1 << 18) + 12_345, 200_000),
];

fn in_every_case<B: Backend>(backend: &B, is_right: impl Fn(&B, usize, u64) -> Result<bool>) -> Result<bool> {
    for (size, universe) in CASES {
        if !is_right(backend, size, universe)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Checks every recoding of the words of two joined arrays, and marks of the same length.
fn recode<B: Backend>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    let words = keys::<u32>(2 * size, universe, 16);
    let both = backend.concat(&backend.upload(&words[..size])?, &backend.upload(&words[size..])?)?;
    let as_numbers = |pair: &[u32]| u64::from(pair[1]) << 32 | u64::from(pair[0]);
    for recoding in Recoding::ALL {
        let found = backend.download(&backend.recode::<u32, u32>(&both, recoding)?, 2 * size)?;
        let is_right = match recoding.words() {
            1 => found.iter().copied().eq(words.iter().map(|&word| recoding.narrow(word))),
            _ => found
                .chunks_exact(2)
                .map(as_numbers)
                .eq(words.chunks_exact(2).map(|pair| recoding.wide(as_numbers(pair)))),
        };
        if !is_right {
            return Ok(false);
        }
    }
    let marks = backend.download(&backend.marks(size / 3, size)?, size.div_ceil(32))?;
    Ok((0..marks.len() * 32).all(|i| reference::bit(&marks, i) == (size / 3..size).contains(&i)))
}

fn mask<B: Backend, V: Value>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    let values: Vec<V> = (0..size as u64).map(value).collect();
    let flags: Vec<u32> = keys::<u32>(size, universe, 21).iter().map(|key| key & 0x8000_0002).collect();
    let (masked, marks) = backend.mask(&backend.upload(&values)?, &backend.upload(&flags)?)?;
    let expected = reference::mask(&values, &flags);
    let masked = backend.download(&masked, size)?;
    Ok(masked.iter().zip(&expected.0).all(|(value, expected)| reference::same_bytes(value, expected))
        && backend.download(&marks, size.div_ceil(32))? == expected.1)
}

fn scan<B: Backend>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    let numbers = keys::<u32>(size, universe, 1);
    let sums = backend.scan(&backend.upload(&numbers)?)?;
    Ok(backend.download(&sums, size + 1)? == reference::scan(&numbers))
}

fn sort<B: Backend, K: Code>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    let keys = keys::<K>(size, universe, 2);
    let sorted = backend.sort(&backend.upload(&keys)?)?;
    let (on_device, positions) =
        (backend.download(&sorted.keys, size)?, backend.download(&sorted.positions, size)?);
    Ok(on_device.into_iter().zip(positions).eq(reference::sort(&keys)))
}

/// Checks `select` together with `arrange` before it and `settle` after it.
fn select<B: Backend, K: Code, V: Value>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    let keys = keys::<K>(size, universe, 3);
    let values: Vec<V> = (0..size as u64).map(value).collect();
    let marks: Vec<u32> = (0..size.div_ceil(32) as u64).map(|word| mixed(word) as u32).collect();
    let sorted = backend.sort(&backend.upload(&keys)?)?;
    let on_device = backend.upload(&marks)?;
    let arranged = backend.arrange(&sorted, &backend.upload(&values)?, Some(&on_device))?;
    let expected = reference::arrange(&keys, &values, Some(&marks));
    if reference::pile_difference(backend, &arranged, &expected)?.is_some() {
        return Ok(false);
    }
    for tombstones in [Tombstones::Keep, Tombstones::Drop] {
        let run = backend.settle(arranged.clone(), Vec::new(), tombstones)?;
        let expected = reference::settle(&expected, tombstones);
        if reference::difference(backend, &run, &expected)?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn merge<B: Backend, K: Code, V: Value>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    let newest = entries::<K, V>(size / 2, universe, 4, true);
    let older = entries::<K, V>(size, universe, 5, true);
    let oldest = entries::<K, V>(size, universe, 6, false);
    let pile = reference::upload(backend, &newest)?.pile();
    let merged = backend.merge(&pile, &reference::pile(backend, &older)?)?;
    let merged = backend.merge(&merged, &reference::pile(backend, &oldest)?)?;
    let expected = reference::merge(&reference::merge(&newest, &older), &oldest);
    Ok(reference::pile_difference(backend, &merged, &expected)?.is_none()
        && merge_and_settle::<B, K, V>(backend, size, universe)?)
}

/// Checks `settle` of a pile without tombstones, in which keys repeat, and an older run.
fn merge_and_settle<B: Backend, K: Code, V: Value>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    let newer =
        reference::merge(&entries::<K, V>(size / 2, universe, 4, false), &entries(size, universe, 5, false));
    let older = entries::<K, V>(size, universe, 6, false);
    let piles = (reference::pile(backend, &newer)?, reference::pile(backend, &older)?);
    let run = backend.settle(piles.0, vec![piles.1], Tombstones::Keep)?;
    let expected = reference::settle(&reference::merge(&newer, &older), Tombstones::Keep);
    Ok(reference::difference(backend, &run, &expected)?.is_none()
        && settle_several::<B, K, V>(backend, size, universe)?)
}

/// Checks `settle` of three, four and five piles without tombstones.
fn settle_several<B: Backend, K: Code, V: Value>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    for several in [3, 4, 5] {
        let piles: Vec<Entries<K, V>> = (0..several)
            .map(|age| entries(size >> ((several - age) / 2), universe, 20 + age, false))
            .collect();
        let newest = reference::pile(backend, &piles[0])?;
        let older: Result<Vec<_>> = piles[1..].iter().map(|pile| reference::pile(backend, pile)).collect();
        let run = backend.settle(newest, older?, Tombstones::Keep)?;
        let merged = piles[1..].iter().fold(piles[0].clone(), |newer, older| reference::merge(&newer, older));
        let expected = reference::settle(&merged, Tombstones::Keep);
        if reference::difference(backend, &run, &expected)?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn search<B: Backend, K: Code, V: Value>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    let newer = entries::<K, V>(size / 2, universe, 7, true);
    let older = entries::<K, V>(size, universe, 8, false);
    let queries = keys::<K>(size, universe, 9);
    let on_device = backend.upload(&queries)?;
    let mut answers = backend.answers::<V>(size)?;
    let turns = [Turn { first: true, last: false }, Turn { first: false, last: true }];
    for (run, turn) in [&newer, &older].into_iter().zip(turns) {
        backend.search(&reference::upload(backend, run)?, &on_device, &mut answers, turn)?;
    }
    let found = backend.download(&answers.found, size)?;
    let values = backend.download(&answers.values, size)?;
    let is_right = |i: usize| {
        let expected = reference::search(&[&newer, &older], queries[i]);
        found[i] == u32::from(expected.is_some())
            && reference::same_bytes(&values[i], &expected.unwrap_or(V::zeroed()))
    };
    Ok((0..size).all(is_right))
}

/// Checks how many keys two runs have together, in a few intervals.
fn tally<B: Backend, K: Code>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    let newer = entries::<K, ()>(size / 2, universe, 17, true);
    let older = entries::<K, ()>(size, universe, 18, false);
    let (newer_run, older_run) = (reference::upload(backend, &newer)?, reference::upload(backend, &older)?);
    let mut answers = backend.answers::<()>(newer.len())?;
    let queries = backend.slice(&newer_run.keys, 0..newer.len())?;
    backend.search(&older_run, &queries, &mut answers, Turn { first: true, last: true })?;
    let tallies = [
        (&newer_run, backend.tally(&newer_run, &answers.found)?),
        (&older_run, Tally { words: backend.upload(&[])?, total: older.len() as i64 }),
    ];
    let (mut lower, mut upper) = (keys::<K>(20, universe, 19), keys::<K>(20, universe, 20));
    (lower[9], upper[9]) = (K::MIN, K::MAX);
    let intervals = (backend.upload(&lower)?, backend.upload(&upper)?);
    let mut counts = None;
    for (run, tally) in &tallies {
        counts = Some(backend.tallied(*run, tally, &intervals.0, &intervals.1, counts)?);
    }
    let counts = backend.download(&counts.expect("there are runs"), lower.len())?;
    let merged = reference::settle(&reference::merge(&newer, &older), Tombstones::Drop);
    let expected = |q: usize| merged.iter().filter(|e| lower[q] <= e.0 && e.0 <= upper[q]).count();
    let total: i64 = tallies.iter().map(|(_, tally)| tally.total).sum();
    Ok(counts.iter().enumerate().all(|(q, &count)| count as usize == expected(q))
        && total == merged.len() as i64)
}

/// Checks `overlay` together with `bounds` and `expand` before it and `live` and `clip` after it, for a few queries of
/// unequal lengths.
fn overlay<B: Backend, K: Code, V: Value>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    let newer = entries::<K, V>(size / 2, universe, 10, true);
    let older = entries::<K, V>(size, universe, 11, true);
    let (mut lower, mut upper) = (keys::<K>(20, universe, 12), keys::<K>(20, universe, 13));
    (lower[9], upper[9]) = (K::MIN, K::MAX);
    let (on_device_lower, on_device_upper) = (backend.upload(&lower)?, backend.upload(&upper)?);
    let bounded = |entries: &Entries<K, V>| {
        let run = reference::upload(backend, entries)?;
        let bounds = backend.bounds(&run, &on_device_lower, &on_device_upper, Start::At)?;
        let total = backend.read_counts(&[&bounds.total])?[0];
        Ok((run, bounds, total as usize))
    };
    let (run, bounds, total) = bounded(&newer)?;
    let candidates = backend.expand(&run, &bounds, total)?;
    let (run, bounds, total) = bounded(&older)?;
    let live = backend.live(&backend.overlay(&candidates, &run, &bounds, total)?)?;
    let clipped = backend.download(&backend.clip(&live.offsets, 2)?.lens, lower.len())?;
    let offsets = backend.download(&live.offsets, lower.len() + 1)?;

    let merged = reference::settle(&reference::merge(&newer, &older), Tombstones::Drop);
    let in_query = |q: usize| merged.iter().filter(|e| lower[q] <= e.0 && e.0 <= upper[q]).copied().collect();
    let expected: Vec<Entries<K, V>> = (0..lower.len()).map(in_query).collect();
    let lens: Vec<u32> = expected.iter().map(|entries| entries.len() as u32).collect();
    let is_same = reference::pile_difference(backend, &live.entries, &expected.concat())?.is_none();
    let is_clipped = clipped.iter().zip(&lens).all(|(&clipped, &len)| clipped == len.min(2));
    Ok(is_same && is_clipped && offsets == reference::scan(&lens))
}

fn window<B: Backend, K: Code>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    let entries = entries::<K, ()>(size, universe, 14, false);
    let queries = keys::<K>(size, universe, 15);
    let run = reference::upload(backend, &entries)?;
    let on_device = backend.upload(&queries)?;
    for way in [Way::Up, Way::UpAfter, Way::Down] {
        let (bounds, horizons) = backend.window(&run, &on_device, way, 3, None, None)?;
        let starts = backend.download(&bounds.starts, size)?;
        let lens = backend.download(&bounds.lens, size)?;
        let horizons = backend.download(&horizons, size)?;
        let is_right = |i: usize| {
            let expected = reference::window(&entries, queries[i], way, 3);
            (starts[i] as usize, lens[i] as usize, horizons[i]) == expected
        };
        if !(0..size).all(is_right) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Checks `cover` and `outside` for a few rectangles of unequal sizes.
fn rectangles<B: Backend>(backend: &B, size: usize, universe: u64) -> Result<bool> {
    let points = entries::<u64, u32>(size, universe, 22, true);
    let (mut lower, mut upper) = (keys::<u64>(20, universe, 23), keys::<u64>(20, universe, 24));
    (lower[9], upper[9]) = (0, u64::MAX);
    let corners = (backend.upload(&lower)?, backend.upload(&upper)?);
    let (starts, ends) = backend.cover(&corners.0, &corners.1)?;
    let covered: Vec<(u64, u64)> =
        lower.iter().zip(&upper).flat_map(|(&l, &u)| reference::cover(l, u, COVER_SPLITS)).collect();
    let starts_there = backend.download(&starts, covered.len())?;
    if !starts_there.into_iter().zip(backend.download(&ends, covered.len())?).eq(covered) {
        return Ok(false);
    }
    let run = reference::upload(backend, &points)?;
    let bounds = backend.bounds(&run, &starts, &ends, Start::At)?;
    let total = backend.read_counts(&[&bounds.total])?[0] as usize;
    let candidates = backend.expand(&run, &bounds, total)?;
    let live = backend.live(&backend.outside(&candidates, &corners.0, &corners.1)?)?;
    let inside = |(&lower, &upper): (&u64, &u64)| -> Entries<u64, u32> {
        points.iter().filter(|point| !point.2 && reference::is_in(point.0, lower, upper)).copied().collect()
    };
    let expected: Vec<_> = lower.iter().zip(&upper).map(inside).collect();
    let lens: Vec<u32> = expected.iter().map(|points| points.len() as u32).collect();
    Ok(reference::pile_difference(backend, &live.entries, &expected.concat())?.is_none()
        && backend.download(&live.offsets, lower.len() + 1)? == reference::scan(&lens))
}

/// Entries with `size` random keys, with or without tombstones.
fn entries<K: Code, V: Value>(size: usize, universe: u64, seed: u64, has_tombstones: bool) -> Entries<K, V> {
    let mut keys = keys::<K>(size, universe, seed);
    keys.sort_unstable();
    keys.dedup();
    let entry = |(i, key)| match has_tombstones && mixed(i ^ seed << 32).is_multiple_of(3) {
        true => (key, V::zeroed(), true),
        false => (key, value(i ^ seed << 50), false),
    };
    (0..).zip(keys).map(entry).collect()
}

fn keys<K: Code>(size: usize, universe: u64, seed: u64) -> Vec<K> {
    let key = |i: usize| mixed(mixed(i as u64 ^ seed << 32) % universe);
    (0..size).map(|i| K::truncated(key(i))).collect()
}

/// A value whose bits all come from `number`.
fn value<V: Value>(number: u64) -> V {
    let mut value = V::zeroed();
    for (i, byte) in bytemuck::bytes_of_mut(&mut value).iter_mut().enumerate() {
        *byte = (mixed(number) >> (i % 8 * 8)) as u8 ^ i as u8;
    }
    value
}

/// Scatters a number over 64 bits (the finaliser of SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}
