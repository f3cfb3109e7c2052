//! The hash table: every key is found with its value, and no other.

use crate::on_every_backend;
use crate::support::{answers_of, spread};
use gpu_lsm_baselines::{Baselines, CuckooHash, Error, LARGEST_KEY};
use std::collections::BTreeMap;

on_every_backend!(
    every_key_is_found_with_its_value_and_no_other,
    the_table_is_80_percent_full,
    keys_that_are_not_distinct_are_an_error,
);

fn every_key_is_found_with_its_value_and_no_other<B: Baselines>(backend: &B) {
    let sparse: fn(u32) -> u32 = spread;
    let dense: fn(u32) -> u32 = |i| i;
    let high: fn(u32) -> u32 = |i| LARGEST_KEY - 16 * i;
    for len in [0, 1, 2, 5, 4095, 4096, 4097, 100_000] {
        for key in [sparse, dense, high] {
            let entries: BTreeMap<u32, u32> = (0..len).map(|i| (key(i), !i)).collect();
            let (keys, values): (Vec<u32>, Vec<u32>) = entries.iter().unzip();
            let (keys, values) = (backend.upload(&keys).unwrap(), backend.upload(&values).unwrap());
            let table = CuckooHash::build(backend, &keys, &values).unwrap();
            table.wait().unwrap();
            let queries: Vec<u32> = (0..2 * len).map(key).chain([0, LARGEST_KEY, u32::MAX]).collect();
            let answers = table.lookup(&backend.upload(&queries).unwrap()).unwrap();
            let expected = queries.iter().map(|query| entries.get(query).copied());
            assert!(answers_of(backend, &answers).into_iter().eq(expected), "{len} keys");
        }
    }
}

fn the_table_is_80_percent_full<B: Baselines>(backend: &B) {
    let keys: Vec<u32> = (0..8000).collect();
    let keys = backend.upload(&keys).unwrap();
    let table = CuckooHash::build(backend, &keys, &keys).unwrap();
    assert_eq!((table.entries(), table.bytes()), (8000, 10_000 * 8));
}

fn keys_that_are_not_distinct_are_an_error<B: Baselines>(backend: &B) {
    let equal = backend.upload(&[7; 100]).unwrap();
    let error = CuckooHash::build(backend, &equal, &equal).err().unwrap();
    assert!(matches!(error, Error::NoSlots { .. }), "{error}");
    let one = backend.upload(&[7]).unwrap();
    let error = CuckooHash::build(backend, &equal, &one).err().unwrap();
    assert_eq!(error, Error::UnequalColumns { first: 100, second: 1 });
}
