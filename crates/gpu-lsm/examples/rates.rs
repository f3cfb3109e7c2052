//! Insert and lookup rates of the host, the best GPU and `BTreeMap`, all in one run:
//!
//! ```text
//! cargo run --release -p gpu-lsm --example rates
//! ```
//!
//! 32-bit keys and values, batches of b = 2^16, up to n = 2^22 entries. A first look, not the evaluation.

use gpu_lsm::{Config, Device, Dictionary};
use std::collections::BTreeMap;
use std::time::Instant;

const B: usize = 1 << 16;
const N: usize = 1 << 22;

fn main() -> gpu_lsm::Result<()> {
    // An odd factor makes a permutation of all keys: distinct, and in no order.
    let keys: Vec<u32> = (0..N as u32).map(|i| i.wrapping_mul(0x9E37_79B1)).collect();
    println!("{:<40} {:>14} {:>14}", "M operations/s, b = 2^16, n = 2^22", "insert", "lookup");
    for name in ["host", "gpu"] {
        match name.parse::<Device>() {
            Ok(device) => measure(&device, &keys)?,
            Err(error) => println!("{name}: {error}"),
        }
    }
    measure_btree(&keys);
    Ok(())
}

fn measure(device: &Device, keys: &[u32]) -> gpu_lsm::Result<()> {
    let config = Config::new().batch_size(B);
    // Kernels are compiled on first use: that is not what is measured.
    let mut warm = Dictionary::<u32, u32>::with_config(device, config)?;
    for batch in keys.chunks(B).take(4) {
        warm.insert(batch, batch)?;
    }
    warm.lookup(&keys[..B])?;

    let mut dictionary = Dictionary::<u32, u32>::with_config(device, config)?;
    let started = Instant::now();
    for batch in keys.chunks(B) {
        dictionary.insert(batch, batch)?;
    }
    let insert = started.elapsed().as_secs_f64();
    // One batch less than a power of two, so that every level is occupied: the most that a lookup can meet.
    let mut full = Dictionary::<u32, u32>::with_config(device, config)?;
    for batch in keys.chunks(B).skip(1) {
        full.insert(batch, batch)?;
    }
    let started = Instant::now();
    let answers = full.lookup(keys)?;
    let lookup = started.elapsed().as_secs_f64();
    assert!(answers.iter().zip(keys).skip(B).all(|(answer, &key)| answer == Some(key)));
    print(device.name(), insert, lookup);
    Ok(())
}

fn measure_btree(keys: &[u32]) {
    let mut tree = BTreeMap::new();
    let started = Instant::now();
    for &key in keys {
        tree.insert(key, key);
    }
    let insert = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let found = keys.iter().filter(|&key| tree.get(key) == Some(key)).count();
    let lookup = started.elapsed().as_secs_f64();
    assert_eq!(found, keys.len());
    print("BTreeMap, one thread", insert, lookup);
}

fn print(name: &str, insert: f64, lookup: f64) {
    let rate = |seconds: f64| N as f64 / seconds / 1e6;
    println!("{name:<40} {:>14.2} {:>14.2}", rate(insert), rate(lookup));
}
