//! How much is written for what is inserted, with a checkpoint after each batch: the most that a history can cost.

use crate::memory::Memory;
use gpu_lsm::{Config, Device};
use gpu_lsm_store::{Options, Store};
use std::sync::Arc;

const B: u64 = 1 << 12;
const BYTES_PER_ENTRY: u64 = 8 + 4;

/// 64 batches, or as many as `GPU_LSM_BATCHES` says.
fn batches() -> u64 {
    std::env::var("GPU_LSM_BATCHES").map_or(64, |batches| batches.parse().unwrap())
}

/// The entries that are uploaded if the occupied levels are the set bits of the number of batches: batch i is merged with as
/// many batches as the lowest set bit of i says.
fn uploaded_entries(batches: u64) -> u64 {
    (1..=batches).map(|i| B << i.trailing_zeros()).sum()
}

#[test]
fn an_entry_is_uploaded_at_most_once_per_level() {
    let memory = Memory::new();
    let store = Store::over(Arc::clone(&memory) as _);
    let options = Options::new().with_config(Config::new().with_batch_size(B as usize)).with_versions(1);
    let mut durable = store.write::<u64, u32>(&Device::host(), options).unwrap();
    let batches = batches();
    for i in 0..batches {
        // Distinct keys that are spread over the domain.
        let keys: Vec<u64> =
            (i * B..(i + 1) * B).map(|key| key.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let values: Vec<u32> = (0..B as u32).collect();
        durable.insert(&keys, &values).unwrap();
        durable.checkpoint().unwrap();
    }
    let [runs, log, manifests] = ["runs", "log", "manifest"].map(|folder| memory.created_in(folder));
    let inserted = batches * B * BYTES_PER_ENTRY;
    let levels = u64::from(batches.ilog2()) + 1;
    let ratio = |bytes: u64| bytes as f64 / inserted as f64;
    let expected = uploaded_entries(batches) as f64 / (batches * B) as f64;
    println!(
        "{batches} batches of {B}: {inserted} bytes inserted; uploaded {:.3} times as runs ({expected:.3} times as entries, \
         {levels} levels), {:.3} times as log, {:.4} times as manifests",
        ratio(runs),
        ratio(log),
        ratio(manifests),
    );
    assert!(ratio(runs) < levels as f64, "{} times, {levels} levels", ratio(runs));
    // Differences of keys have fewer bytes than keys; and each file has a few bytes that are not entries.
    assert!((0.75..1.05).contains(&(ratio(runs) / expected)), "{} against {expected}", ratio(runs));
    assert!(ratio(log) < 1.03 && ratio(manifests) < 0.1);
}
