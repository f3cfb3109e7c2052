//! Insert, lookup, count and range rates of the host, the best GPU and `BTreeMap`, in one run:
//!
//! ```text
//! cargo run --release -p gpu-lsm --example rates
//! ```
//!
//! Keys and values have 32 bits, batches have b = 2^16 operations. Inserts and lookups go up to n = 2^22 entries.
//! Counts and ranges have n = 2^20 minus one batch, so that every level is occupied, with intervals of L entries on
//! average. This is a first look, not the evaluation.

use gpu_lsm::{Config, Device, Dictionary};
use std::collections::BTreeMap;
use std::time::Instant;

const B: usize = 1 << 16;
const N: usize = 1 << 22;

fn main() -> gpu_lsm::Result<()> {
    // An odd factor permutes all keys: they are distinct and in no order.
    let keys: Vec<u32> = (0..N as u32).map(|i| i.wrapping_mul(0x9E37_79B1)).collect();
    println!("{:<40} {:>14} {:>14}", "M operations/s, b = 2^16, n = 2^22", "insert", "lookup");
    for name in ["host", "gpu"] {
        match name.parse::<Device>() {
            Ok(device) => measure(&device, &keys)?,
            Err(error) => println!("{name}: {error}"),
        }
    }
    measure_btree(&keys);
    println!();
    println!(
        "{:<40} {:>14} {:>14} {:>14} {:>14}",
        "M queries/s, b = 2^16, n = 2^20", "count L=8", "L=1024", "range L=8", "L=1024"
    );
    for name in ["host", "gpu"] {
        if let Ok(device) = name.parse::<Device>() {
            measure_intervals(&device, &keys[..1 << 20])?;
        }
    }
    measure_btree_intervals(&keys[..1 << 20]);
    Ok(())
}

fn measure(device: &Device, keys: &[u32]) -> gpu_lsm::Result<()> {
    let config = Config::new().with_batch_size(B);
    // Kernels are compiled on first use, which must not be measured.
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
    // One batch less than a power of two, so that every level is occupied: the worst case of a lookup.
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

/// Intervals with `entries` of the keys on average, as many intervals as in the paper.
fn intervals(keys: &[u32], entries: usize) -> (Vec<u32>, Vec<u32>) {
    let width = (((entries as u64) << 32) / keys.len() as u64) as u32;
    let queries = keys.len().min((1 << 24) / entries);
    let lower = keys[..queries].iter().map(|&key| key.wrapping_mul(0x85EB_CA6B) % (u32::MAX - width));
    lower.map(|lower| (lower, lower + width - 1)).unzip()
}

/// The average number of entries in an interval, and whether they are returned or only counted.
const CASES: [(usize, bool); 4] = [(8, false), (1024, false), (8, true), (1024, true)];

fn measure_intervals(device: &Device, keys: &[u32]) -> gpu_lsm::Result<()> {
    let mut dictionary = Dictionary::<u32, u32>::with_config(device, Config::new().with_batch_size(B))?;
    for batch in keys.chunks(B).skip(1) {
        dictionary.insert(batch, batch)?;
    }
    let mut rates = Vec::new();
    for (entries, wants_entries) in CASES {
        let (lower, upper) = intervals(keys, entries);
        let mut best = f64::MAX;
        for _ in 0..3 {
            let started = Instant::now();
            if wants_entries {
                dictionary.range(&lower, &upper)?;
            } else {
                dictionary.count(&lower, &upper)?;
            }
            best = best.min(started.elapsed().as_secs_f64());
        }
        rates.push(lower.len() as f64 / best / 1e6);
    }
    print_rates(device.name(), &rates);
    Ok(())
}

fn measure_btree_intervals(keys: &[u32]) {
    let tree: BTreeMap<u32, u32> = keys[B..].iter().map(|&key| (key, key)).collect();
    let mut rates = Vec::new();
    for (entries, wants_entries) in CASES {
        let (lower, upper) = intervals(keys, entries);
        let started = Instant::now();
        let (mut counted, mut pairs) = (0, Vec::new());
        for (&lower, &upper) in lower.iter().zip(&upper) {
            if wants_entries {
                pairs.extend(tree.range(lower..=upper));
            } else {
                counted += tree.range(lower..=upper).count();
            }
        }
        assert!(counted + pairs.len() > lower.len());
        rates.push(lower.len() as f64 / started.elapsed().as_secs_f64() / 1e6);
    }
    print_rates("BTreeMap, one thread", &rates);
}

fn print_rates(name: &str, rates: &[f64]) {
    let rates: Vec<String> = rates.iter().map(|rate| format!("{rate:>14.3}")).collect();
    println!("{name:<40} {}", rates.join(" "));
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
