//! interleave: all entries of both sides, ordered by key without status, newer first; for whole arrays, parts of
//! arrays, and two parts of the same array.

use super::{pairs, read, variables};
use crate::on_every_backend;
use crate::support::{Mix, cases};
use gpu_lsm_primitives::baselines::{Baselines, Part};

on_every_backend!(interleaves_all, interleaves_parts_of_one_array);

fn interleaves_all(backend: &impl Baselines) {
    let cases = cases();
    for (at, &(newer_len, mix)) in cases.iter().enumerate() {
        // In turn: equal lengths, a shorter older side, a shorter newer side.
        let shorter = cases[at / 2].0;
        let (newer_len, older_len) =
            [(newer_len, newer_len), (newer_len, shorter), (shorter, newer_len)][at % 3];
        let newer = variables(mix, newer_len, 2 * at as u64);
        let older = variables(mix, older_len, 2 * at as u64 + 1);
        let (newer_pairs, older_pairs) =
            (pairs(backend, &newer, 0), pairs(backend, &older, newer_len as u32));
        let both = backend.interleave(&newer_pairs.all(), &older_pairs.all()).unwrap();
        let expected = merged(&newer, &older);
        assert!(read(backend, &both) == expected, "{newer_len} and {older_len} keys, {mix:?}");
    }
}

fn interleaves_parts_of_one_array(backend: &impl Baselines) {
    for mix in [Mix::Random, Mix::Few, Mix::Ends] {
        let (newer, older) = (variables(mix, 5000, 1), variables(mix, 9000, 2));
        let all = [&[7; 10][..], &newer, &older, &[9; 10]].concat();
        let all = pairs(backend, &all, u32::MAX - 20_000);
        let newer_part = Part { pairs: &all, start: 10, len: 5000 };
        let older_part = Part { pairs: &all, start: 5010, len: 9000 };
        let both = backend.interleave(&newer_part, &older_part).unwrap();
        let mut expected = merged(&newer, &older);
        expected.iter_mut().for_each(|pair| pair.1 += u32::MAX - 20_000 + 10);
        assert!(read(backend, &both) == expected, "{mix:?}");
        let nothing = Part { pairs: &all, start: 0, len: 0 };
        let alone = backend.interleave(&newer_part, &nothing).unwrap();
        assert!(read(backend, &alone).iter().map(|pair| pair.0).eq(newer), "{mix:?}, with nothing");
    }
}

/// A stable sort of the newer entries followed by the older ones.
fn merged(newer: &[u32], older: &[u32]) -> Vec<(u32, u32)> {
    let mut both: Vec<(u32, u32)> = newer.iter().chain(older).copied().zip(0..).collect();
    both.sort_by_key(|pair| pair.0 >> 1);
    both
}
