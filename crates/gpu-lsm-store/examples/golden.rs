//! Makes the stores of `testdata/stores`, which every later version must open: `golden FOLDER`. `tests/suite/golden.rs` knows
//! their contents.

use gpu_lsm::{Batch, Config, Device};
use gpu_lsm_store::{Options, Result, Store};

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).expect("give the folder to write to");
    numbers(&Store::at(&format!("{folder}/u64-u32"))?)?;
    set(&Store::at(&format!("{folder}/i32-set"))?)
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
