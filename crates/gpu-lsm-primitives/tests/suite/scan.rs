//! scan: the sum before each element and the total, at every edge of a tile.

use crate::on_every_backend;
use crate::support::{LARGE, edge_sizes, fits, rng};
use gpu_lsm_primitives::{Backend, reference};
use rand::RngExt;

on_every_backend!(
    sums_small_numbers,
    sums_that_are_too_large_stay_at_the_largest_number,
    sums_of_more_than_a_tile_of_tiles
);

fn sums_small_numbers(backend: &impl Backend) {
    for len in edge_sizes().into_iter().chain([LARGE]).filter(|&len| fits(len)) {
        check(backend, len, 100);
    }
}

fn sums_that_are_too_large_stay_at_the_largest_number(backend: &impl Backend) {
    for len in edge_sizes().into_iter().chain([LARGE]).filter(|&len| fits(len)) {
        check(backend, len, u32::MAX);
    }
}

/// More than 4,096 tiles of 4,096 elements: the sums of the tiles need a third round.
fn sums_of_more_than_a_tile_of_tiles(backend: &impl Backend) {
    check(backend, 4096 * 4096 + 4097, 100);
}

fn check<B: Backend>(backend: &B, len: usize, max: u32) {
    let mut rng = rng(len as u64);
    let numbers: Vec<u32> = (0..len).map(|_| rng.random_range(0..=max)).collect();
    let sums = backend.scan(&backend.upload(&numbers).unwrap()).unwrap();
    assert!(
        backend.download(&sums, len + 1).unwrap() == reference::scan(&numbers),
        "{len} numbers up to {max}"
    );
}
