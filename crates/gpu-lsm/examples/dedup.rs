//! A change stream with repeats: which messages are new, which have changed, and which are repeated?
//!
//! ```text
//! cargo run --release -p gpu-lsm --example dedup -- gpu
//! ```
//!
//! Messages carry an identifier and a version. They may come more than once and, within a batch, in any order. One
//! lookup of the whole batch finds the versions known so far; one update stores the newest.

use gpu_lsm::{Device, Dictionary};
use std::collections::HashMap;

fn main() -> gpu_lsm::Result<()> {
    let device: Device = std::env::args().nth(1).unwrap_or("auto".into()).parse()?;
    eprintln!("on {}", device.name());
    let mut known = Dictionary::<u64, u32>::new(&device)?;
    println!("{:>6} {:>9} {:>9} {:>9} {:>9}", "batch", "messages", "new", "changed", "repeated");
    for batch in 0..6 {
        let messages = receive(batch);
        // Within a batch, the highest version of an identifier wins.
        let mut newest = HashMap::new();
        for &(id, version) in &messages {
            let highest = newest.entry(id).or_insert(version);
            *highest = version.max(*highest);
        }
        let ids: Vec<u64> = newest.keys().copied().collect();
        let before = known.lookup(&ids)?;
        let (mut added, mut changed) = (0, 0);
        let (mut keys, mut versions) = (Vec::new(), Vec::new());
        for (&id, before) in ids.iter().zip(before.iter()) {
            let version = newest[&id];
            match before {
                Some(known) if known >= version => continue,
                Some(_) => changed += 1,
                None => added += 1,
            }
            keys.push(id);
            versions.push(version);
        }
        known.insert(&keys, &versions)?;
        let repeated = messages.len() - added - changed;
        println!("{batch:>6} {:>9} {added:>9} {changed:>9} {repeated:>9}", messages.len());
    }
    println!("{} identifiers are known", known.len()?);
    Ok(())
}

/// Messages as (identifier, version): some new, some repeated from earlier batches.
fn receive(batch: u64) -> Vec<(u64, u32)> {
    let message = |i: u64| {
        let scattered = (batch * 50_000 + i).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        (scattered % 120_000, (scattered % 7 + batch) as u32)
    };
    (0..50_000).map(message).collect()
}
