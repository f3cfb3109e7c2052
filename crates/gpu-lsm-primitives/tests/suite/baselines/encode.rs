//! encode: a reversed batch padded with its first key, with statuses from marks, and values by position.

use crate::on_every_backend;
use crate::support::{Mix, cases, fits, keys, marks};
use gpu_lsm_primitives::baselines::{Baselines, LARGEST_KEY};
use gpu_lsm_primitives::reference::bit;

on_every_backend!(encodes_keys, values_follow_their_keys);

fn encodes_keys(backend: &impl Baselines) {
    for (seed, (len, mix)) in cases().into_iter().enumerate().filter(|case| case.1.0 > 0) {
        let keys: Vec<u32> = keys::<u32>(mix, len, seed as u64).iter().map(|key| key & LARGEST_KEY).collect();
        let marks = marks(len, 80, seed as u64);
        let there = (backend.upload(&keys).unwrap(), backend.upload(&marks).unwrap());
        for padding in [0, 1, 5000] {
            let padded = (0..len).rev().chain(std::iter::repeat_n(0, padding));
            let plain = backend.encode_keys(&there.0, None, len + padding).unwrap();
            let plain = backend.download(&plain, len + padding).unwrap();
            assert!(plain.into_iter().eq(padded.clone().map(|i| keys[i] * 2 + 1)), "{len} keys, {mix:?}");
            let marked = backend.encode_keys(&there.0, Some(&there.1), len + padding).unwrap();
            let marked = backend.download(&marked, len + padding).unwrap();
            let expected = padded.map(|i| keys[i] * 2 + u32::from(!bit(&marks, i)));
            assert!(marked.into_iter().eq(expected), "{len} keys, {mix:?}, with marks");
        }
    }
}

fn values_follow_their_keys(backend: &impl Baselines) {
    for (given, len) in
        [(1, 1), (1, 300), (100, 100), (4095, 4097), (5000, 70_000)].into_iter().filter(|case| fits(case.1))
    {
        let values: Vec<u32> = keys(Mix::Random, given, 1);
        let positions: Vec<u32> = keys::<u32>(Mix::Random, len, 2).iter().map(|p| p % len as u32).collect();
        let there = backend.upload(&positions).unwrap();
        for known in [given, given / 2, 0] {
            let out =
                backend.encode_values(&backend.upload(&values[..known]).unwrap(), &there, given).unwrap();
            let source = |&position: &u32| given - 1 - (position as usize).min(given - 1);
            let expected = positions.iter().map(source).map(|i| if i < known { values[i] } else { 0 });
            assert!(
                backend.download(&out, len).unwrap().into_iter().eq(expected),
                "{known} of {given}, {len}"
            );
        }
    }
}
