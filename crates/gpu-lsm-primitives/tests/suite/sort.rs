//! sort: ascending and stable, for every key width, mix of keys, and edge of a tile.

use crate::on_every_backend;
use crate::support::{cases, keys, wide};
use gpu_lsm_primitives::{Array, Backend, Code, reference};

on_every_backend!(sorts_u32, sorts_u64);

fn sorts_u32(backend: &impl Backend) {
    sorts_keys::<_, u32>(backend);
}

fn sorts_u64(backend: &impl Backend) {
    wide(backend, || sorts_keys::<_, u64>(backend));
}

fn sorts_keys<B: Backend, K: Code>(backend: &B) {
    for (seed, (len, mix)) in cases().into_iter().enumerate() {
        let keys: Vec<K> = keys(mix, len, seed as u64);
        let expected = reference::sort(&keys);
        let sorted = backend.sort(&backend.upload(&keys).unwrap()).unwrap();
        assert_eq!(sorted.keys.len(), len);
        let keys = backend.download(&sorted.keys, len).unwrap();
        let positions = backend.download(&sorted.positions, len).unwrap();
        let pairs = keys.into_iter().zip(positions);
        assert!(pairs.eq(expected), "{len} keys, {mix:?}");
    }
}
