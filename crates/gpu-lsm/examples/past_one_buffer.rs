//! More entries than one buffer of the device can hold: inserted, looked up, ranged over, counted and verified.
//!
//! ```text
//! cargo run --release -p gpu-lsm --example past_one_buffer -- [DEVICE] [LOG2_N]
//! ```
//!
//! On software Vulkan a buffer ends at 2^25 entries of 32-bit keys; 2^27 is the default.

use gpu_lsm::{Config, Device, Sharded};
use std::time::Instant;

const BATCH: u64 = 1 << 22;

/// The `i`-th key: an odd factor permutes all 32-bit numbers, so keys are distinct and in no order.
fn key(i: u64) -> u32 {
    (i as u32).wrapping_mul(0x9E37_79B1)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let device: Device = arguments.next().as_deref().unwrap_or("gpu").parse()?;
    let n = 1u64 << arguments.next().as_deref().unwrap_or("27").parse::<u32>()?.clamp(22, 32);
    println!(
        "{}: one buffer ends at {} entries, {n} will be inserted",
        device.name(),
        device.limits().entries_u32
    );

    let mut dictionary = Sharded::<u32, u32>::new(&[device], Config::new().with_batch_size(BATCH as usize))?;
    let started = Instant::now();
    for batch in 0..n / BATCH {
        let keys: Vec<u32> = (batch * BATCH..(batch + 1) * BATCH).map(key).collect();
        let values: Vec<u32> = (batch * BATCH..(batch + 1) * BATCH).map(|i| i as u32).collect();
        dictionary.insert(keys, values)?;
        if (batch + 1) % 8 == 0 {
            told("inserted", (batch + 1) * BATCH, started);
        }
    }
    let shards = dictionary.statistics().shards;
    println!(
        "{} shards: {:?} entries",
        shards.len(),
        shards.iter().map(|one| one.statistics.entries).collect::<Vec<_>>()
    );

    // Every 61st key, from all batches and all shards.
    let sample: Vec<u64> = (0..n).step_by(61).collect();
    let keys: Vec<u32> = sample.iter().map(|&i| key(i)).collect();
    let started = Instant::now();
    let answers = dictionary.lookup(&keys)?;
    told("looked up", keys.len() as u64, started);
    assert!(
        answers.iter().zip(&sample).all(|(answer, &i)| answer == Some(i as u32)),
        "every key has its value"
    );

    // One interval over all boundaries; its entries are ascending.
    let (first, last) = (u32::MAX / 8 * 3, u32::MAX / 8 * 5);
    let started = Instant::now();
    let (keys, values) = dictionary.range_in(first..=last)?;
    told("ranged over", keys.len() as u64, started);
    assert!(keys.is_sorted_by(|one, next| one < next), "keys are distinct and ascend");
    assert!(keys.iter().zip(&values).all(|(&found, &i)| found == key(u64::from(i))), "with their values");
    assert_eq!(keys.len() as u64, dictionary.count_in(first..=last)?);
    assert_eq!(dictionary.len()?, n);

    let started = Instant::now();
    dictionary.verify()?;
    told("verified", n, started);
    Ok(())
}

fn told(what: &str, entries: u64, started: Instant) {
    println!("{what} {entries} entries in {:.1} s", started.elapsed().as_secs_f64());
}
