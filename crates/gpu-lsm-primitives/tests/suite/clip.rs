//! clip: the bounds if each query keeps only a few entries.

use crate::on_every_backend;
use gpu_lsm_primitives::Backend;
use gpu_lsm_primitives::reference::scan;

on_every_backend!(clips_to_a_limit);

fn clips_to_a_limit<B: Backend>(backend: &B) {
    for queries in [1, 255, 256, 5000] {
        // No entries, a few, and one query with very many.
        let len = |q: u32| if q == queries / 3 { 100_000 } else { (q * q) % 4 };
        let lens: Vec<u32> = (0..queries).map(len).collect();
        let offsets = backend.upload(&scan(&lens)).unwrap();
        let queries = queries as usize;
        for limit in [0, 1, 2, 50_000, u32::MAX] {
            let bounds = backend.clip(&offsets, limit).unwrap();
            let clipped: Vec<u32> = lens.iter().map(|&len| len.min(limit)).collect();
            assert_eq!(backend.download(&bounds.offsets, queries + 1).unwrap(), scan(&clipped));
            assert_eq!(backend.download(&bounds.starts, queries).unwrap(), scan(&lens)[..queries]);
        }
    }
}
