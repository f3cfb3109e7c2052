//! Operations, and random lists of them.

use crate::keys::{Layout, TestKey, TestValue};
use gpu_lsm::{Batch, Key, Value};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One operation: a key with a value, or a delete.
pub type Operation<K, V> = (K, Option<V>);

/// Makes a batch of operations.
pub fn batch<K: Key, V: Value>(operations: &[Operation<K, V>]) -> Batch<K, V> {
    let mut batch = Batch::new();
    for &(key, value) in operations {
        match value {
            Some(value) => batch.insert(key, value),
            None => batch.delete(key),
        }
    }
    batch
}

/// The operations as columns: keys, values and flags for deletes. A delete has any value, which must not matter, and any flag
/// but zero.
pub fn columns<K: Key, V: TestValue>(operations: &[Operation<K, V>]) -> (Vec<K>, Vec<V>, Vec<u32>) {
    let flag = |i: usize| [1, 2, 1 << 31, u32::MAX][i % 4];
    let keys = operations.iter().map(|operation| operation.0).collect();
    let values = operations.iter().map(|operation| operation.1.unwrap_or(V::from_number(u64::MAX))).collect();
    let flags =
        operations.iter().enumerate().map(|(i, operation)| operation.1.map_or(flag(i), |_| 0)).collect();
    (keys, values, flags)
}

/// A random number generator with the same sequence on every machine.
pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// `len` random operations on the first `universe` keys of [`Layout::Spread`], and sometimes on the edges of the domain.
pub fn random_operations<K: TestKey, V: TestValue>(
    rng: &mut ChaCha8Rng,
    len: usize,
    universe: u64,
    deletes: f64,
) -> Vec<Operation<K, V>> {
    laid_out_operations(rng, len, (Layout::Spread, universe), deletes)
}

/// The same on keys of any layout.
pub fn laid_out_operations<K: TestKey, V: TestValue>(
    rng: &mut ChaCha8Rng,
    len: usize,
    (layout, universe): (Layout, u64),
    deletes: f64,
) -> Vec<Operation<K, V>> {
    let edges = K::edges();
    (0..len)
        .map(|_| {
            let key = match rng.random_range(0..20) {
                0 => edges[rng.random_range(0..edges.len())],
                _ => layout.key(rng.random_range(0..universe)),
            };
            (key, (!rng.random_bool(deletes)).then(|| V::from_number(rng.random())))
        })
        .collect()
}
