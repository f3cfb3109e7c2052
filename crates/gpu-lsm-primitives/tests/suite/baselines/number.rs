//! number: finds the list of each candidate.

use crate::on_every_backend;
use gpu_lsm_primitives::Backend;
use gpu_lsm_primitives::baselines::Baselines;

on_every_backend!(numbers_the_candidates_of_unequal_lists);

fn numbers_the_candidates_of_unequal_lists<B: Backend + Baselines>(backend: &B) {
    for lens in [vec![0, 5, 0, 0, 5000, 1, 0], vec![1; 5000], vec![0, 0, 16, 0], vec![0, 0]] {
        let offsets = gpu_lsm_primitives::reference::scan(&lens);
        let total = offsets[lens.len()] as usize;
        let numbers = backend.number(&backend.upload(&offsets).unwrap(), total).unwrap();
        let expected: Vec<u32> =
            (0..).zip(&lens).flat_map(|(list, &len)| std::iter::repeat_n(list, len as usize)).collect();
        assert_eq!(backend.download(&numbers, total).unwrap(), expected);
    }
}
