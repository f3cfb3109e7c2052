//! A queue: events are added at the end, the oldest are removed from the front, and the next one due is looked up.
//!
//! `cargo run --release --example queue [DEVICE]`

use gpu_lsm::{Config, Device, Dictionary};
use std::time::{Duration, Instant};

const WAITING: u64 = 1 << 22;
const AT_ONCE: u64 = 1 << 10;
const TURNS: u64 = 500;

fn main() -> Result<(), gpu_lsm::Error> {
    let device: Device = std::env::args().nth(1).unwrap_or_else(|| "host".into()).parse()?;
    println!("{WAITING} events wait on {}; {AT_ONCE} come and go each turn", device.name());
    let times: Vec<u64> = (0..WAITING).collect();
    let ids: Vec<u32> = (0..WAITING as u32).collect();
    let mut events = Dictionary::build(&device, Config::new(), &times, &ids)?;
    let (mut asking, mut turns) = (Duration::ZERO, Duration::ZERO);
    let mut slowest = Duration::ZERO;
    for turn in 0..TURNS {
        let start = Instant::now();
        let done = (turn + 1) * AT_ONCE;
        events.delete_range(&[0], &[done - 1])?;
        let new: Vec<u64> = (WAITING + turn * AT_ONCE..WAITING + done).collect();
        events.insert(&new, &vec![turn as u32; new.len()])?;
        let question = Instant::now();
        let next = events.first()?;
        let answered = question.elapsed();
        asking += answered;
        slowest = slowest.max(answered);
        turns += start.elapsed();
        assert_eq!(next.map(|(time, _)| time), Some(done), "the oldest event that is left");
    }
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "first: {:.3} ms on average, {:.3} at most; a turn: {:.3} ms",
        milliseconds(asking) / TURNS as f64,
        milliseconds(slowest),
        milliseconds(turns) / TURNS as f64
    );
    Ok(())
}
