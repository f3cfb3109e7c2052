//! A sliding window over events: each second new events arrive, those older than a minute are deleted, and the rest are
//! counted.
//!
//! ```text
//! cargo run --release -p gpu-lsm --example sliding_window -- gpu
//! ```
//!
//! The key is the time in microseconds. So a window is a range, one range delete removes the old events, and one batch
//! of queries counts the events for a whole plot.

use gpu_lsm::{Config, Device, Dictionary};

const SECOND: u64 = 1_000_000;
const WINDOW: u64 = 60 * SECOND;

fn main() -> gpu_lsm::Result<()> {
    let device: Device = std::env::args().nth(1).unwrap_or("auto".into()).parse()?;
    eprintln!("on {}", device.name());
    let mut events = Dictionary::<u64, u32>::with_config(&device, Config::new().with_batch_size(1 << 14))?;
    for second in 0..90 {
        let (times, sizes) = arrivals(second);
        events.insert(&times, &sizes)?;
        let now = (second + 1) * SECOND;
        if let Some(oldest) = now.checked_sub(WINDOW + 1) {
            events.delete_range(&[0], &[oldest])?;
        }
    }
    let now = 90 * SECOND;
    let lower: Vec<u64> = (0..20).map(|i| now - WINDOW + i * 3 * SECOND).collect();
    let upper: Vec<u64> = lower.iter().map(|from| from + 3 * SECOND - 1).collect();
    for (from, count) in lower.iter().zip(events.count(&lower, &upper)?) {
        println!("{:>3} s {count:>6} {}", from / SECOND, "#".repeat(count as usize / 250));
    }
    let statistics = events.statistics();
    println!("{} events in the window, {} entries held for them", events.len()?, statistics.entries);
    Ok(())
}

/// The times and sizes of the events of a second. Every other ten seconds have more events.
fn arrivals(second: u64) -> (Vec<u64>, Vec<u32>) {
    let count = if (second / 10).is_multiple_of(2) { 1500 } else { 4000 + second * 10 };
    let times = (0..count).map(|i| second * SECOND + i * SECOND / count).collect();
    (times, (0..count as u32).map(|i| 100 + i % 900).collect())
}
