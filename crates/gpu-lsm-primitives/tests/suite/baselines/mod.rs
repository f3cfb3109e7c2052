//! The primitives that only the baselines need, on every backend, against plain sequential references.

mod cuckoo;
mod encode;
mod interleave;
mod intervals;
mod number;
mod place;
mod probe;
mod unite;
mod validate;

use crate::support::{Mix, keys, rng};
use gpu_lsm_primitives::baselines::{Levels, Pairs};
use gpu_lsm_primitives::{Array, Backend};
use rand::RngExt;

/// Key variables with random statuses, ordered by their keys without status, as after a merge.
fn variables(mix: Mix, len: usize, seed: u64) -> Vec<u32> {
    let mut variables = keys::<u32>(mix, len, seed);
    variables.sort_by_key(|variable| variable >> 1);
    let mut rng = rng(seed);
    variables.iter().map(|variable| variable & !1 | u32::from(rng.random::<bool>())).collect()
}

/// Key variables with distinct values.
fn pairs<B: Backend>(backend: &B, variables: &[u32], first_value: u32) -> Pairs<B> {
    let values: Vec<u32> = (first_value..first_value + variables.len() as u32).collect();
    Pairs { keys: backend.upload(variables).unwrap(), values: backend.upload(&values).unwrap() }
}

/// All pairs, read back to the host.
fn read<B: Backend>(backend: &B, pairs: &Pairs<B>) -> Vec<(u32, u32)> {
    let len = pairs.keys.len();
    let keys = backend.download(&pairs.keys, len).unwrap();
    keys.into_iter().zip(backend.download(&pairs.values, len).unwrap()).collect()
}

/// Levels with this many batches, and the key variables of the full levels, newest first. Empty levels are filled with
/// a key that full levels may have, and that must not be found there.
fn levels<B: Backend>(backend: &B, mix: Mix, batch: usize, batches: u32) -> (Levels<B>, Vec<Vec<u32>>) {
    let mut all = Vec::new();
    let mut full = Vec::new();
    for level in 0..u32::BITS - batches.leading_zeros() {
        let variables = match batches >> level & 1 {
            0 => vec![85; batch << level],
            _ => variables(mix, batch << level, u64::from(level)),
        };
        all.extend_from_slice(&variables);
        if batches >> level & 1 == 1 {
            full.push(variables);
        }
    }
    (Levels { pairs: pairs(backend, &all, 0), batch, batches }, full)
}

/// Batch sizes and numbers of batches: no level, one level, several levels with gaps, and more than a tile.
const LEVELS: [(usize, u32); 7] =
    [(5, 0), (1, 1), (3, 4), (7, 0b1011), (100, 0b10_0111), (4097, 7), (30_000, 5)];
