//! Random batches on each dictionary and on a `BTreeMap`. The two must agree after every batch.

use crate::on_every_backend;
use crate::support::{Dictionary, EDGES, Pair, random_operations, rng, spread};
use gpu_lsm_baselines::{Baselines, LARGEST_KEY, PaperLsm, SortedArray};
use rand::RngExt;

on_every_backend!(
    the_papers_lsm_agrees,
    the_sorted_array_agrees,
    the_papers_lsm_agrees_at_the_edges_of_tiles,
    the_sorted_array_agrees_at_the_edges_of_tiles,
    a_bulk_build_is_an_insert_of_all,
    a_cleanup_leaves_only_what_is_live,
);

fn the_papers_lsm_agrees<B: Baselines>(backend: &B) {
    (0..8).for_each(|seed| agrees::<B, PaperLsm<B>>(backend, seed));
}

fn the_sorted_array_agrees<B: Baselines>(backend: &B) {
    (0..8).for_each(|seed| agrees::<B, SortedArray<B>>(backend, seed));
}

/// One random life of a dictionary, with one choice of sizes.
fn agrees<B: Baselines, D: Dictionary<B>>(backend: &B, seed: u64) {
    let mut rng = rng(seed);
    let b = [1, 7, 64, 300, 1000][rng.random_range(0..5)];
    let universe = [40, 1000, 20_000][rng.random_range(0..3)];
    let deletes = [0.0, 0.3, 0.6, 0.95][rng.random_range(0..4)];
    let case = format!("seed {seed}, b = {b}");
    let mut pair = Pair::<B, D>::new(backend, b, 63);
    for _ in 0..20 {
        let len = [0, b, b, rng.random_range(0..=b), rng.random_range(b..=3 * b)][rng.random_range(0..5)];
        let operations = random_operations(&mut rng, len, universe, deletes);
        pair.update(&operations);
        let mut keys: Vec<u32> = operations.iter().map(|operation| operation.0).collect();
        keys.extend((0..200).map(|_| spread(rng.random_range(0..universe + 20))).chain(EDGES));
        pair.check(&keys, &case);
        let mut bound = || spread(rng.random_range(0..universe));
        let mut intervals: Vec<(u32, u32)> = (0..6).map(|_| (bound(), bound())).collect();
        intervals.extend([(0, u32::MAX), (LARGEST_KEY, LARGEST_KEY), (0, 0), (1 << 31, u32::MAX)]);
        pair.check_intervals(&intervals, &case);
        if rng.random_range(0..4) == 0 {
            pair.dictionary.cleanup().unwrap();
            pair.check(&keys, &format!("{case}: after a cleanup"));
            pair.check_intervals(&intervals, &format!("{case}: after a cleanup"));
        }
    }
    pair.dictionary.wait().unwrap();
    pair.check_all(&case);
}

fn the_papers_lsm_agrees_at_the_edges_of_tiles<B: Baselines>(backend: &B) {
    edges_of_tiles::<B, PaperLsm<B>>(backend);
}

fn the_sorted_array_agrees_at_the_edges_of_tiles<B: Baselines>(backend: &B) {
    edges_of_tiles::<B, SortedArray<B>>(backend);
}

/// Batches of one tile, plus or minus one, over three levels; one interval that covers everything beside many small ones.
fn edges_of_tiles<B: Baselines, D: Dictionary<B>>(backend: &B) {
    for b in [4095, 4097] {
        let mut pair = Pair::<B, D>::new(backend, b, 7);
        for round in 0..5u64 {
            let len = b - (round as usize % 2);
            pair.update(&random_operations(&mut rng(round), len, 2 * b as u32, 0.2));
            let case = format!("b = {b}, round {round}");
            let keys: Vec<u32> = (0..2 * b as u32 + 10).map(spread).collect();
            pair.check(&keys, &case);
            let mut intervals: Vec<(u32, u32)> =
                (0..1000).map(|i| (spread(i), spread(i).saturating_add(1 << (i % 16)))).collect();
            intervals.insert(500, (0, LARGEST_KEY));
            pair.check_intervals(&intervals, &case);
        }
        pair.dictionary.cleanup().unwrap();
        pair.check_all(&format!("b = {b}, after a cleanup"));
    }
}

fn a_bulk_build_is_an_insert_of_all<B: Baselines>(backend: &B) {
    for (b, len) in [(1, 1), (4, 0), (4, 3), (4, 28), (1000, 5000), (1000, 6999), (4096, 20_480), (70_000, 1)]
    {
        let mut pair = Pair::<B, PaperLsm<B>>::new(backend, b, 7);
        let keys: Vec<u32> = (0..len).map(|i| spread(i * 7 % 5000)).collect();
        let values: Vec<u32> = (0..len).collect();
        let (on_device, values_there) = (pair.upload(&keys), pair.upload(&values));
        pair.model.extend(keys.iter().copied().zip(values));
        pair.dictionary = PaperLsm::build(backend, b, 7, &on_device, &values_there).unwrap();
        assert_eq!(pair.dictionary.batches() as usize, keys.len().div_ceil(b));
        pair.check_all(&format!("{len} keys in batches of {b}"));
        let array = SortedArray::build(backend, &on_device, &values_there).unwrap();
        let model = std::mem::take(&mut pair.model);
        let mut other = Pair::<B, SortedArray<B>>::new(backend, b, 7);
        (other.dictionary, other.model) = (array, model);
        other.check_all(&format!("{len} keys in an array"));
    }
}

fn a_cleanup_leaves_only_what_is_live<B: Baselines>(backend: &B) {
    for b in [1, 10, 64, 1000] {
        let mut pair = Pair::<B, PaperLsm<B>>::new(backend, b, 31);
        for round in 0..23u64 {
            pair.update(&random_operations(&mut rng(round), b, 4 * b as u32, 0.3));
        }
        let before = pair.dictionary.entries();
        pair.dictionary.cleanup().unwrap();
        let batches = pair.model.len().div_ceil(b);
        assert_eq!(pair.dictionary.batches() as usize, batches, "b = {b}");
        assert_eq!(pair.dictionary.levels(), (batches as u32).count_ones(), "b = {b}");
        assert!(pair.dictionary.entries() < before, "b = {b}");
        pair.check_all(&format!("b = {b}, after a cleanup"));
        pair.dictionary.cleanup().unwrap();
        assert_eq!(pair.dictionary.batches() as usize, batches, "b = {b}: nothing more to clean");
        // Placebos are tombstones of the largest key. An entry of that key must survive both before and after them.
        pair.insert(&[LARGEST_KEY], &[5]);
        pair.dictionary.cleanup().unwrap();
        pair.check_all(&format!("b = {b}, the largest key"));
        pair.delete(&[LARGEST_KEY]);
        pair.check_all(&format!("b = {b}, the largest key deleted"));
    }
}
