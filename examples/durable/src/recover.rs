//! How long recovery takes, and how large stores are: by the entries in runs, and by the length of the log.

use crate::entries::{BATCH, ENTRY_BYTES, batches};
use crate::open::{load, save};
use crate::{Result, empty, median, timed};
use gpu_lsm::{Config, Device};
use gpu_lsm_store::{Durable, Options, Store};
use std::path::Path;

const ROUNDS: usize = 5;

pub(crate) fn run(folder: &Path) -> Result<()> {
    for power in [20, 22, 24, 26] {
        let path = empty(folder, "recover")?;
        save(&path, 1 << power)?;
        report(&path, &format!("2^{power} entries in runs"), 1 << power)?;
    }
    for count in [16, 64, 256] {
        let path = empty(folder, "recover")?;
        write(&path, count)?;
        report(&path, &format!("{count} batches of 2^16 in the log"), count * BATCH)?;
    }
    Ok(())
}

/// Writes a log without checkpoints.
fn write(folder: &str, count: usize) -> Result<()> {
    let config = Config::new().with_batch_size(BATCH);
    let options = Options::new().with_config(config).with_checkpoint_bytes(u64::MAX);
    let mut durable = Store::at(folder)?.write::<u64, u32>(&Device::host(), options)?;
    for (keys, values) in batches(count) {
        durable.insert(&keys, &values)?;
    }
    Ok(())
}

fn report(folder: &str, what: &str, entries: usize) -> Result<()> {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        reads.push(timed(|| load(folder))?.0);
        let options = Options::new().with_checkpoint_bytes(u64::MAX);
        let open =
            || -> Result<Durable<u64, u32>> { Ok(Store::at(folder)?.write(&Device::host(), options)?) };
        writes.push(timed(open)?.0);
    }
    let (_, bytes) = Store::at(folder)?.info()?.objects;
    println!(
        "{what:32} {:7.3} s to read, {:7.3} s to write, {bytes} bytes, {:.3} of keys and values",
        median(reads).as_secs_f64(),
        median(writes).as_secs_f64(),
        bytes as f64 / (entries * ENTRY_BYTES) as f64,
    );
    Ok(())
}
