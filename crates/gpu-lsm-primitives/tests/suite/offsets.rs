//! offsets: where the entries of each query start, and what is left where each keeps only a few.

use crate::on_every_backend;
use gpu_lsm_primitives::{Backend, Candidates, Pending};

on_every_backend!(offsets_of_unequal_queries, clips_to_a_limit);

/// How many entries each of many queries has: none, a few, and one with very many.
fn lens(queries: usize) -> Vec<u32> {
    (0..queries as u32).map(|q| if q == queries as u32 / 3 { 100_000 } else { (q * q) % 4 }).collect()
}

fn sums(lens: &[u32]) -> Vec<u32> {
    gpu_lsm_primitives::reference::scan(lens)
}

fn offsets_of_unequal_queries<B: Backend>(backend: &B) {
    for queries in [1, 2, 255, 256, 257, 5000] {
        let lens = lens(queries);
        let of_entries: Vec<u32> =
            lens.iter().zip(0..).flat_map(|(&len, q)| std::iter::repeat_n(q, len as usize)).collect();
        let count = of_entries.len();
        let candidates = Candidates {
            queries: backend.upload(&of_entries).unwrap(),
            entries: Pending {
                keys: backend.upload(&vec![0u32; count]).unwrap(),
                values: backend.upload(&vec![(); count]).unwrap(),
                marks: None,
                bound: count,
                count: backend.count(count as u32).unwrap(),
            },
        };
        let offsets = backend.offsets(&candidates, queries).unwrap();
        assert_eq!(backend.download(&offsets, queries + 1).unwrap(), sums(&lens));
    }
}

fn clips_to_a_limit<B: Backend>(backend: &B) {
    for queries in [1, 255, 256, 5000] {
        let lens = lens(queries);
        let offsets = backend.upload(&sums(&lens)).unwrap();
        for limit in [0, 1, 2, 50_000, u32::MAX] {
            let bounds = backend.clip(&offsets, limit).unwrap();
            let clipped: Vec<u32> = lens.iter().map(|&len| len.min(limit)).collect();
            assert_eq!(backend.download(&bounds.offsets, queries + 1).unwrap(), sums(&clipped));
            assert_eq!(backend.download(&bounds.starts, queries).unwrap(), sums(&lens)[..queries]);
        }
    }
}
