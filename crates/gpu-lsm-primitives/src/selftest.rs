//! A self-test of a device: every primitive against its host twin, byte for byte.

use crate::backend::{Backend, Turn};
use crate::entries::{Pending, Run, Tombstones};
use crate::error::Result;
use crate::host::Host;
use crate::key::Key;
use crate::meter::Meter;
use crate::tuning::TILE;
use crate::value::Value;

/// A check of one primitive.
pub struct Check<B> {
    /// The primitive, and what it works on.
    pub name: &'static str,
    /// Runs it on a device; true where the device agrees with the host.
    pub agrees: fn(&B) -> Result<bool>,
}

/// The checks of every primitive with keys of one width.
pub fn checks_u32<B: Backend>() -> [Check<B>; 5] {
    [
        Check { name: "scan", agrees: scan },
        Check { name: "sort of 32-bit keys", agrees: sort::<B, u32> },
        Check { name: "select of 32-bit keys", agrees: select::<B, u32, u32> },
        Check { name: "merge of 32-bit keys", agrees: merge::<B, u32, [u32; 4]> },
        Check { name: "search for 32-bit keys", agrees: search::<B, u32, [u32; 2]> },
    ]
}

/// The checks of every primitive with keys of the other width.
pub fn checks_u64<B: Backend>() -> [Check<B>; 4] {
    [
        Check { name: "sort of 64-bit keys", agrees: sort::<B, u64> },
        Check { name: "select of 64-bit keys", agrees: select::<B, u64, ()> },
        Check { name: "merge of 64-bit keys", agrees: merge::<B, u64, u32> },
        Check { name: "search for 64-bit keys", agrees: search::<B, u64, u32> },
    ]
}

/// Sizes below, at and above the edge of a tile, and far past 65,536; with each, how many
/// different keys there are: few make long stretches of equal ones.
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

fn twin() -> Host {
    Host::new(Meter::new(None))
}

/// Runs `compute` on both backends for every case, and compares.
fn both<B: Backend, R: PartialEq>(
    backend: &B,
    on_device: impl Fn(&B, usize, u64) -> Result<R>,
    on_host: impl Fn(&Host, usize, u64) -> Result<R>,
) -> Result<bool> {
    for (size, universe) in CASES {
        if on_device(backend, size, universe)? != on_host(&twin(), size, universe)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn scan<B: Backend>(backend: &B) -> Result<bool> {
    fn on<B: Backend>(backend: &B, size: usize, universe: u64) -> Result<Vec<u32>> {
        let numbers = keys::<u32>(size, universe, 1);
        backend.download(&backend.scan(&backend.upload(&numbers)?)?, size + 1)
    }
    both(backend, on::<B>, on::<Host>)
}

fn sort<B: Backend, K: Key>(backend: &B) -> Result<bool> {
    fn on<B: Backend, K: Key>(backend: &B, size: usize, universe: u64) -> Result<(Vec<K>, Vec<u32>)> {
        let sorted = backend.sort(&backend.upload(&keys::<K>(size, universe, 2))?)?;
        Ok((backend.download(&sorted.keys, size)?, backend.download(&sorted.positions, size)?))
    }
    both(backend, on::<B, K>, on::<Host, K>)
}

fn select<B: Backend, K: Key, V: Value>(backend: &B) -> Result<bool> {
    fn on<B: Backend, K: Key, V: Value>(backend: &B, size: usize, universe: u64) -> Result<Bytes> {
        downloaded(backend, selected::<B, K, V>(backend, size, universe, 3, true)?)
    }
    both(backend, on::<B, K, V>, on::<Host, K, V>)
}

fn merge<B: Backend, K: Key, V: Value>(backend: &B) -> Result<bool> {
    fn on<B: Backend, K: Key, V: Value>(backend: &B, size: usize, universe: u64) -> Result<Bytes> {
        let newer = selected::<B, K, V>(backend, size / 2, universe, 4, true)?;
        let older = backend.settle(selected::<B, K, V>(backend, size, universe, 5, true)?)?;
        let oldest = backend.settle(selected::<B, K, V>(backend, size, universe, 6, false)?)?;
        let merged = backend.merge(&newer, &older, Tombstones::Keep)?;
        downloaded(backend, backend.merge(&merged, &oldest, Tombstones::Drop)?)
    }
    both(backend, on::<B, K, V>, on::<Host, K, V>)
}

fn search<B: Backend, K: Key, V: Value>(backend: &B) -> Result<bool> {
    fn on<B: Backend, K: Key, V: Value>(backend: &B, size: usize, universe: u64) -> Result<Bytes> {
        let newer = backend.settle(selected::<B, K, V>(backend, size / 2, universe, 7, true)?)?;
        let older = backend.settle(selected::<B, K, V>(backend, size, universe, 8, false)?)?;
        let queries = backend.upload(&keys::<K>(size, universe, 9))?;
        let mut answers = backend.answers::<V>(size)?;
        backend.search(&newer, &queries, &mut answers, Turn { first: true, last: false })?;
        backend.search(&older, &queries, &mut answers, Turn { first: false, last: true })?;
        let values = bytes(&backend.download(&answers.values, size)?);
        Ok((bytes(&backend.download(&answers.found, size)?), values, Vec::new(), size))
    }
    both(backend, on::<B, K, V>, on::<Host, K, V>)
}

/// Keys, values and marks as bytes, and a length.
type Bytes = (Vec<u8>, Vec<u8>, Vec<u8>, usize);

fn downloaded<B: Backend, K: Key, V: Value>(backend: &B, pending: Pending<B, K, V>) -> Result<Bytes> {
    let run: Run<B, K, V> = backend.settle(pending)?;
    let marks = match &run.marks {
        Some(marks) => backend.download(marks, run.len.div_ceil(32))?,
        None => Vec::new(),
    };
    let values = bytes(&backend.download(&run.values, run.len)?);
    Ok((bytes(&backend.download(&run.keys, run.len)?), values, bytes(&marks), run.len))
}

fn bytes<T: Value>(elements: &[T]) -> Vec<u8> {
    if size_of::<T>() == 0 { Vec::new() } else { bytemuck::cast_slice(elements).to_vec() }
}

/// Entries from random operations, with or without deletes.
fn selected<B: Backend, K: Key, V: Value>(
    backend: &B,
    size: usize,
    universe: u64,
    seed: u64,
    has_deletes: bool,
) -> Result<Pending<B, K, V>> {
    let sorted = backend.sort(&backend.upload(&keys::<K>(size, universe, seed))?)?;
    let marks: Vec<u32> = (0..size.div_ceil(32)).map(|word| mixed(word as u64 ^ seed << 40) as u32).collect();
    let mut values = vec![V::zeroed(); size];
    if V::WORDS > 0 {
        for (i, word) in bytemuck::cast_slice_mut::<V, u32>(&mut values).iter_mut().enumerate() {
            *word = mixed(i as u64 ^ seed << 50) as u32;
        }
    }
    let marks = if has_deletes { Some(backend.upload(&marks)?) } else { None };
    backend.select(&sorted, &backend.upload(&values)?, marks.as_ref())
}

fn keys<K: Key>(size: usize, universe: u64, seed: u64) -> Vec<K> {
    let key = |i: usize| mixed(mixed(i as u64 ^ seed << 32) % universe);
    (0..size).map(|i| K::truncated(key(i))).collect()
}

/// Scatters a number over 64 bits (the finaliser of SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}
