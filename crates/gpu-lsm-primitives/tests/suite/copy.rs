//! copy: two arrays concatenated, parts of an array, and one array copied into another.

use crate::on_every_backend;
use crate::support::{LARGE, edge_sizes, fits};
use gpu_lsm_primitives::{Array, Backend, Plain};
use std::fmt::Debug;

on_every_backend!(
    two_arrays_become_one,
    the_first_elements_are_an_array,
    neighbouring_elements_are_an_array,
    an_array_is_copied_into_another,
);

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

fn neighbouring_elements_are_an_array(backend: &impl Backend) {
    slices(backend, |i| i as u32);
    slices(backend, |i| !(i as u64));
    slices(backend, |i| [i as u32, 1, !(i as u32), 3]);
    let nothing = backend.slice(&backend.upload(&[(); 9]).unwrap(), 3..7).unwrap();
    assert_eq!(nothing.len(), 4);
}

fn slices<T: Plain + PartialEq + Debug>(backend: &impl Backend, element: impl Fn(usize) -> T) {
    let elements: Vec<T> = (0..9000).map(element).collect();
    let array = backend.upload(&elements).unwrap();
    for range in [0..0, 0..9000, 1..9000, 4095..4097, 4096..8999, 8999..9000, 9000..9000] {
        let part = backend.slice(&array, range.clone()).unwrap();
        assert_eq!(part.len(), range.len());
        assert!(backend.download(&part, range.len()).unwrap() == elements[range.clone()], "{range:?}");
    }
}

fn an_array_is_copied_into_another(backend: &impl Backend) {
    let numbers: Vec<u64> = (0..5000).collect();
    let from = backend.upload(&numbers).unwrap();
    let mut all = backend.room::<u64>(10_000).unwrap();
    backend.copy_into(&from, 5000, &mut all, 0).unwrap();
    backend.copy_into(&from, 4999, &mut all, 5000).unwrap();
    backend.copy_into(&from, 1, &mut all, 9999).unwrap();
    let expected = [&numbers[..], &numbers[..4999], &[0]].concat();
    assert_eq!(backend.download(&all, 10_000).unwrap(), expected);
}
