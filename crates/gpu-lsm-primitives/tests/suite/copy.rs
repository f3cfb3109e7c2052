//! copy: two arrays as one, and the first elements of one.

use crate::on_every_backend;
use crate::support::{LARGE, edge_sizes, fits};
use gpu_lsm_primitives::{Array, Backend, Plain};
use std::fmt::Debug;

on_every_backend!(two_arrays_become_one, the_first_elements_are_an_array);

fn two_arrays_become_one(backend: &impl Backend) {
    for len in edge_sizes().into_iter().chain([LARGE]).filter(|&len| fits(len)) {
        for second in [0, 1, len / 3] {
            joins(backend, len, second, |i| i as u32);
            joins(backend, second, len, |i| !(i as u64));
        }
    }
    joins(backend, 100, 5000, |i| [i as u32, 1, !(i as u32), 3]);
}

fn joins<T: Plain + PartialEq + Debug>(
    backend: &impl Backend,
    first: usize,
    second: usize,
    element: impl Fn(usize) -> T,
) {
    let all: Vec<T> = (0..first + second).map(element).collect();
    let (before, after) = (backend.upload(&all[..first]).unwrap(), backend.upload(&all[first..]).unwrap());
    let both = backend.concat(&before, &after).unwrap();
    assert_eq!(both.len(), all.len());
    assert!(backend.download(&both, all.len()).unwrap() == all, "{first} and {second}");
}

fn the_first_elements_are_an_array(backend: &impl Backend) {
    let numbers: Vec<u64> = (0..10_000).collect();
    let array = backend.upload(&numbers).unwrap();
    for len in [0, 1, 4097, 10_000] {
        let first = backend.slice(&array, 0..len).unwrap();
        assert_eq!(first.len(), len);
        assert_eq!(
            backend.download(&backend.concat(&first, &first).unwrap(), 2 * len).unwrap(),
            [&numbers[..len], &numbers[..len]].concat()
        );
    }
}
