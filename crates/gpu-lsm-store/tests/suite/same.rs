//! What makes two dictionaries equal.

use gpu_lsm::Snapshot;
use gpu_lsm_store::{StoredKey, StoredValue};
use std::fmt::Debug;

/// Levels and entries of two dictionaries are equal, byte for byte.
pub(crate) fn assert_same<K: StoredKey, V: StoredValue + PartialEq + Debug>(
    a: &Snapshot<K, V>,
    b: &Snapshot<K, V>,
) {
    let (runs, others) = (a.runs().unwrap(), b.runs().unwrap());
    assert_eq!(runs.len(), others.len());
    for (run, other) in runs.iter().zip(&others) {
        assert_eq!(run.level, other.level);
        assert_eq!(a.run_columns(run.id).unwrap(), b.run_columns(other.id).unwrap());
    }
}
