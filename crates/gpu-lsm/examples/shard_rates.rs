//! What shards cost on one device, and what a second device gives:
//!
//! ```text
//! cargo run --release -p gpu-lsm --example shard_rates [LOG2_N] [ROUNDS]
//! ```
//!
//! Keys and values have 32 bits, b = 2^16, n = 2^24 minus one batch, so that every level is occupied. Rates are those of the
//! best of all rounds; in a round every contender has its turn, so that other load on the machine affects all alike. The last
//! column is what a plain dictionary gains from all threads: no more can be expected of several devices on one processor.

use gpu_lsm::{Config, Device, Sharded, Sharding};
use std::time::Instant;

const B: usize = 1 << 16;
const ROWS: [&str; 5] = ["insertion", "lookup", "lookup, 2^22 at once", "count, L = 8", "range, L = 8"];

/// A dictionary that is measured. One shard takes calls as a plain dictionary does.
struct Contender {
    devices: Vec<Device>,
    shards: usize,
    best: [f64; ROWS.len()],
}

impl Contender {
    fn new(devices: Vec<Device>, shards: usize) -> Self {
        Self { devices, shards, best: [f64::MAX; ROWS.len()] }
    }

    /// Measures all rows once, and keeps what was faster than before.
    fn measure(&mut self, keys: &[u32]) -> gpu_lsm::Result<()> {
        let sharding = Sharding::new().with_shards(self.shards);
        let config = Config::new().with_batch_size(B);
        let mut dictionary = Sharded::<u32, u32>::with_sharding(&self.devices, config, &sharding)?;
        let times = [
            seconds(|| keys.chunks(B).try_for_each(|batch| dictionary.insert(batch, batch)))?,
            seconds(|| keys.chunks(B).step_by(16).try_for_each(|batch| dictionary.lookup(batch).map(drop)))?,
            seconds(|| dictionary.lookup(&keys[..keys.len().min(1 << 22)]).map(drop))?,
            seconds(|| intervals(keys).try_for_each(|(low, high)| dictionary.count(&low, &high).map(drop)))?,
            seconds(|| intervals(keys).try_for_each(|(low, high)| dictionary.range(&low, &high).map(drop)))?,
        ];
        for (best, time) in self.best.iter_mut().zip(times) {
            *best = best.min(time);
        }
        Ok(())
    }
}

fn seconds(work: impl FnOnce() -> gpu_lsm::Result<()>) -> gpu_lsm::Result<f64> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed().as_secs_f64())
}

/// Intervals that contain eight keys on average, a batch of them at a time.
fn intervals(keys: &[u32]) -> impl Iterator<Item = (Vec<u32>, Vec<u32>)> + '_ {
    let width = ((8u64 << 32) / keys.len() as u64) as u32;
    keys.chunks(B).step_by(16).map(move |batch| {
        let lower = batch.iter().map(|key| key.wrapping_mul(0x85EB_CA6B) % (u32::MAX - width));
        lower.map(|lower| (lower, lower + width - 1)).unzip()
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u32>());
    let n = 1usize << arguments.next().transpose()?.unwrap_or(24);
    let rounds = arguments.next().transpose()?.unwrap_or(5);
    // An odd factor permutes all keys: they are distinct and in no order.
    let keys: Vec<u32> = (0..(n - B) as u32).map(|i| i.wrapping_mul(0x9E37_79B1)).collect();

    let one = || Device::host_with_threads(1);
    let mut all = [
        Contender::new(vec![Device::host()], 1),
        Contender::new(vec![Device::host()], 4),
        Contender::new(vec![one()?], 1),
        Contender::new(vec![one()?, one()?], 8),
    ];
    for round in 1..=rounds {
        for contender in &mut all {
            contender.measure(&keys)?;
        }
        eprintln!("round {round} of {rounds}");
    }

    let [plain, shards, one, two] = all.map(|contender| contender.best);
    println!("n = 2^{} - b, b = 2^16; rates divided by rates", n.ilog2());
    println!(
        "{:<24} {:>16} {:>24} {:>24}",
        "", "4 shards : plain", "2 threads' devices : 1", "plain, all threads : 1"
    );
    for (row, name) in ROWS.iter().enumerate() {
        let ratios = [plain[row] / shards[row], one[row] / two[row], one[row] / plain[row]];
        println!("{name:<24} {:>16.2} {:>24.2} {:>24.2}", ratios[0], ratios[1], ratios[2]);
    }
    Ok(())
}
