//! cuckoo: every key is in one of its slots, other queries find nothing, and too many keys are reported.

use crate::on_every_backend;
use crate::support::{cases, distinct_keys};
use gpu_lsm_primitives::baselines::{Baselines, EMPTY_SLOT, Pairs};
use std::collections::BTreeMap;

on_every_backend!(every_key_is_in_one_of_its_slots, keys_without_a_slot_are_told);

fn every_key_is_in_one_of_its_slots(backend: &impl Baselines) {
    for (seed, (len, mix)) in cases().into_iter().enumerate() {
        let mut keys = distinct_keys::<u32>(mix, len, seed as u64);
        keys.retain(|&key| key != EMPTY_SLOT);
        let values: Vec<u32> = keys.iter().map(|key| !key).collect();
        let slots = (keys.len() * 5).div_ceil(4).max(1);
        let there = (backend.upload(&keys).unwrap(), backend.upload(&values).unwrap());
        let table = |seed| {
            let table = backend.cuckoo_build(&there.0, &there.1, slots, seed).unwrap()?;
            Some((table, seed))
        };
        let (table, seed) = (0..9).map(|i| i * 0x1234_5677).find_map(table).expect("some seed will do");
        check_slots(backend, &table, &keys, &values);
        let mut queries = keys.clone();
        queries.extend(keys.iter().map(|key| key ^ 1 << 13));
        queries.push(EMPTY_SLOT);
        let answers = backend.cuckoo_lookup(&table, &backend.upload(&queries).unwrap(), seed).unwrap();
        let found = backend.download(&answers.found, queries.len()).unwrap();
        let its_values = backend.download(&answers.values, queries.len()).unwrap();
        for ((query, found), value) in queries.iter().zip(found).zip(its_values) {
            let expected = if keys.binary_search(query).is_ok() { (1, !query) } else { (0, 0) };
            assert_eq!((found, value), expected, "{len} keys, {mix:?}");
        }
    }
}

/// Checks that each key is there once, with its value, and that all other slots are empty.
fn check_slots<B: Baselines>(backend: &B, table: &Pairs<B>, keys: &[u32], values: &[u32]) {
    let mut slots = super::read(backend, table);
    slots.retain(|slot| slot.0 != EMPTY_SLOT);
    assert_eq!(slots.len(), keys.len());
    let slots: BTreeMap<u32, u32> = slots.into_iter().collect();
    assert!(slots.into_iter().eq(keys.iter().copied().zip(values.iter().copied())));
}

fn keys_without_a_slot_are_told(backend: &impl Baselines) {
    let keys: Vec<u32> = (0..1001).collect();
    let keys = backend.upload(&keys).unwrap();
    assert!(backend.cuckoo_build(&keys, &keys, 1000, 3).unwrap().is_none(), "more keys than slots");
    let equal = backend.upload(&[3; 5]).unwrap();
    assert!(backend.cuckoo_build(&equal, &equal, 1000, 3).unwrap().is_none(), "more equal keys than slots");
}
