//! What `rates/rates.py` compares the Python package with: the same operations on the same columns, in Rust.
//!
//! `rates FOLDER BATCH` reads columns of `u32` from the folder and prints the seconds of upserts, lookups, counts and ranges.

use gpu_lsm::{Config, Device, Dictionary};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (folder, batch) = (Path::new(&arguments[1]), arguments[2].parse()?);
    let column = |name: &str| -> std::io::Result<Vec<u32>> {
        Ok(bytemuck::pod_collect_to_vec(&std::fs::read(folder.join(name))?))
    };
    let (keys, values) = (column("keys")?, column("values")?);
    let (asked, lower, upper) = (column("asked")?, column("lower")?, column("upper")?);
    let mut dictionary = Dictionary::<u32, u32>::with_config(&Device::host(), Config::new())?;
    let upsert = seconds(keys.chunks(batch).zip(values.chunks(batch)), |(keys, values)| {
        dictionary.insert(keys, values)
    })?;
    let lookup = seconds(asked.chunks(batch), |keys| dictionary.lookup(keys))?;
    let intervals = || lower.chunks(batch).zip(upper.chunks(batch));
    let count = seconds(intervals(), |(lower, upper)| dictionary.count(lower, upper))?;
    let range = seconds(intervals(), |(lower, upper)| dictionary.range(lower, upper))?;
    println!("{upsert} {lookup} {count} {range}");
    Ok(())
}

/// How long all calls take. Their answers are kept, as Python keeps them.
fn seconds<C, T>(
    columns: impl Iterator<Item = C>,
    mut call: impl FnMut(C) -> gpu_lsm::Result<T>,
) -> gpu_lsm::Result<f64> {
    let started = Instant::now();
    let answers = columns.map(&mut call).collect::<Result<Vec<T>, _>>()?;
    let seconds = started.elapsed().as_secs_f64();
    drop(answers);
    Ok(seconds)
}
