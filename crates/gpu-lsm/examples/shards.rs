//! Shards: a log of events, keyed by time, on several devices. All new events go to the last shard, which is split again
//! and again; whole shards go to the device that has the fewest.
//!
//! `cargo run --release --example shards [DEVICE]...`

use gpu_lsm::{Config, Device, Sharded, Sharding};

const BATCHES: u64 = 32;
const BATCH: u64 = 1 << 14;

fn main() -> Result<(), gpu_lsm::Error> {
    let mut devices =
        std::env::args().skip(1).map(|name| name.parse()).collect::<Result<Vec<Device>, _>>()?;
    if devices.is_empty() {
        devices = vec![Device::host_with_threads(1)?, Device::host_with_threads(1)?];
    }
    let sharding = Sharding::new().with_shares(&vec![1.0; devices.len()]);
    let config = Config::new().with_batch_size(BATCH as usize);
    let mut events = Sharded::<u64, u32>::with_sharding(&devices, config, &sharding)?;
    for batch in 0..BATCHES {
        let times: Vec<u64> = (batch * BATCH..(batch + 1) * BATCH).map(|i| 10 * i + i % 7).collect();
        let kinds: Vec<u32> = times.iter().map(|time| (time % 5) as u32).collect();
        events.insert(&times, &kinds)?;
        if (batch + 1) % 8 == 0 {
            show(&events, batch + 1);
        }
    }
    // An answer is the same wherever the boundaries are: this interval reaches over most shards.
    let (first, last) = (100_000, 4_000_000);
    let kinds = events.range_in(first..=last)?.1;
    assert_eq!(kinds.len() as u64, events.count_in(first..=last)?);
    let of_kind = |kind| kinds.iter().filter(|&&one| one == kind).count();
    println!("{} events from {first} to {last}, by kind {:?}", kinds.len(), [0, 1, 2, 3, 4].map(of_kind));

    let before = events.snapshot();
    events.delete_in(..2_000_000)?; // one batch, in all shards or in none
    println!("{} events before, {} after old ones were deleted", before.len()?, events.len()?);
    events.verify()
}

fn show(events: &Sharded<u64, u32>, batches: u64) {
    let statistics = events.statistics();
    println!("after {batches} batches: {} entries in {} shards", statistics.entries, statistics.shards.len());
    for shard in &statistics.shards {
        let bar = "#".repeat((shard.statistics.entries / 4096) as usize);
        println!("  device {} from {:>8} {:>7} {bar}", shard.device, shard.first, shard.statistics.entries);
    }
}
