//! Insertion, durable for each batch, beside storage engines; and pipelined, beside the dictionary in memory.

use crate::engines::{self, Write};
use crate::entries::{BATCH, Columns, ENTRY_BYTES, batches};
use crate::{Result, empty, median, timed};
use gpu_lsm::{Batch, Config, Device, Dictionary};
use gpu_lsm_store::{Durable, Options, Store};
use std::path::Path;

const BATCHES: usize = 64;
const ROUNDS: usize = 3;

/// Measures all in turns, so that what else happens on the machine meets all of them.
pub(crate) fn run(folder: &Path) -> Result<()> {
    let batches = batches(BATCHES);
    let systems: &[(&str, Write)] = &[
        ("in memory", in_memory),
        ("durable per batch", durable),
        ("pipelined", pipelined),
        ("plain file, synced per batch", plain_file),
        ("redb", engines::redb),
        ("fjall", engines::fjall),
        #[cfg(feature = "slatedb")]
        ("slatedb", engines::slatedb),
    ];
    let mut times = vec![Vec::new(); systems.len()];
    for round in 1..=ROUNDS {
        for ((name, write), times) in systems.iter().zip(&mut times) {
            let folder = empty(folder, "insert")?;
            let time = timed(|| write(&folder, &batches))?.0;
            eprintln!("round {round}: {name} {:.3} s", time.as_secs_f64());
            times.push(time);
        }
    }
    println!("{BATCHES} batches of {BATCH} entries of {ENTRY_BYTES} bytes; median of {ROUNDS} rounds");
    for ((name, _), times) in systems.iter().zip(times) {
        let [fastest, slowest] =
            [times.iter().min(), times.iter().max()].map(|time| time.copied().unwrap_or_default());
        let rate = |seconds: f64| (BATCHES * BATCH) as f64 / seconds / 1e6;
        println!(
            "{name:30} {:8.3} M/s ({:.3} to {:.3})",
            rate(median(times).as_secs_f64()),
            rate(slowest.as_secs_f64()),
            rate(fastest.as_secs_f64()),
        );
    }
    Ok(())
}

fn config() -> Config {
    Config::new().with_batch_size(BATCH)
}

fn in_memory(_: &str, batches: &[Columns]) -> Result<()> {
    let mut dictionary = Dictionary::<u64, u32>::with_config(&Device::host(), config())?;
    for (keys, values) in batches {
        dictionary.insert(keys, values)?;
    }
    Ok(())
}

fn open(folder: &str) -> Result<Durable<u64, u32>> {
    Ok(Store::at(folder)?.write(&Device::host(), Options::new().with_config(config()))?)
}

fn durable(folder: &str, batches: &[Columns]) -> Result<()> {
    let mut dictionary = open(folder)?;
    for (keys, values) in batches {
        dictionary.insert(keys, values)?;
    }
    Ok(())
}

fn pipelined(folder: &str, batches: &[Columns]) -> Result<()> {
    let mut dictionary = open(folder)?;
    for (keys, values) in batches {
        let batch: Batch<u64, u32> = keys.iter().copied().zip(values.iter().copied()).collect();
        dictionary.submit(batch)?;
    }
    Ok(dictionary.flush()?)
}

/// What the disk allows: the bytes of each batch, appended to a file and synced.
fn plain_file(folder: &str, batches: &[Columns]) -> Result<()> {
    use std::io::Write;
    let mut file = std::fs::File::create(format!("{folder}/plain"))?;
    for (keys, values) in batches {
        let mut bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        file.write_all(&bytes)?;
        file.sync_data()?;
    }
    Ok(())
}
