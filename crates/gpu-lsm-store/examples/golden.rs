//! Makes the stores of `testdata/stores`, which every later version must open: `golden FOLDER`. `tests/suite/golden.rs` knows
//! their contents.

use gpu_lsm::{Batch, Config, Device, Dictionary, Morton, Sharding};
use gpu_lsm_store::{Options, Result, Store, StoredKey, StoredValue};

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).expect("give the folder to write to");
    let store = |name: &str| Store::at(&format!("{folder}/{name}"));
    numbers(&store("u64-u32")?)?;
    set(&store("i32-set")?)?;
    shards(&store("i64-f64-shards")?)?;
    let infinite = [f32::NEG_INFINITY, -1.5, 0.0, 2.5];
    save(&store("f32-u16x4")?, &infinite, &[0, 1, 2, 3].map(|i: u16| [i, 0, 0, i]))?;
    let points = [(1, 2), (9, 1), (3, 4)].map(|(x, y)| Morton { x, y });
    save(&store("morton-i64")?, &points, &[-1i64, 0, 1])?;
    save(&store("pair-edge")?, &[(1, 2), (0, 9)], &[Edge { target: 3, weight: 0.5 }; 2])
}

/// A type of the program's own.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Edge {
    target: u32,
    weight: f32,
}
gpu_lsm::value!(Edge);
gpu_lsm_store::stored_value!(Edge = "edge");

/// One run.
fn save<K: StoredKey, V: StoredValue>(store: &Store, keys: &[K], values: &[V]) -> Result<()> {
    store.save(&*Dictionary::build(&Device::host(), Config::new(), keys, values)?).map(drop)
}

/// Three shards, and a log.
fn shards(store: &Store) -> Result<()> {
    let thirds = Sharding::new().with_boundaries(&[-5i64, 10]);
    let options = Options::new().with_config(Config::new().with_batch_size(8));
    let mut durable = store.write_sharded::<i64, f64>(&[Device::host()], &thirds, options)?;
    let keys = |range: std::ops::Range<i64>| range.collect::<Vec<_>>();
    let quarters = |keys: &[i64]| keys.iter().map(|&key| key as f64 / 4.0).collect::<Vec<_>>();
    durable.insert(&keys(-20..15), &quarters(&keys(-20..15)))?;
    durable.checkpoint()?;
    durable.update(&keys(15..25), &quarters(&keys(15..25)), &keys(20..25))
}

/// Versions, tombstones, several runs, a log with parts, a fence in the middle, and callers.
fn numbers(store: &Store) -> Result<()> {
    let options =
        || Options::new().with_config(Config::new().with_batch_size(8)).with_versions(2).with_part_bytes(400);
    let mut durable = store.write::<u64, u32>(&Device::host(), options())?;
    durable.insert(&Vec::from_iter(0..50), &Vec::from_iter(100..150))?;
    durable.checkpoint()?;
    durable.update(&[60, 70], &[1, 2], &[3, 4, 5])?;
    durable.checkpoint()?;
    drop(durable);
    let mut durable = store.write::<u64, u32>(&Device::host(), options())?;
    durable.submit_once("golden", 1, Batch::from_iter([(80, Some(7)), (60, None)]))?.wait()?;
    durable.insert(&Vec::from_iter(1000..1040), &[9; 40])?;
    durable.delete_range(&[10], &[19])?;
    durable.flush()
}

/// Only a log.
fn set(store: &Store) -> Result<()> {
    let mut durable = store.write::<i32, ()>(&Device::host(), Options::new())?;
    durable.insert(&[-5, 0, 5], &[(); 3])?;
    durable.clear()?;
    durable.insert(&[i32::MIN, 7], &[(); 2])?;
    durable.cleanup()
}
