//! Opening a store of 2^24 entries, beside reading its Parquet files and nothing else.

use crate::entries::{BATCH, batches};
use crate::{Result, empty, median, timed};
use bytes::Bytes;
use gpu_lsm::{Config, Device, Dictionary};
use gpu_lsm_store::Store;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const ENTRIES: usize = 1 << 24;
const ROUNDS: usize = 7;

pub(crate) fn run(folder: &Path) -> Result<()> {
    let folder = empty(folder, "open")?;
    save(&folder, ENTRIES)?;
    let files = files(&folder)?;
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        times[0].push(timed(|| load(&folder))?.0);
        times[1].push(timed(|| read(&files, 1))?.0);
        times[2].push(timed(|| read(&files, std::thread::available_parallelism()?.get()))?.0);
    }
    let bytes: u64 =
        files.iter().map(|file| -> Result<u64> { Ok(file.metadata()?.len()) }).sum::<Result<_>>()?;
    println!(
        "{ENTRIES} entries in {} files, {bytes} bytes, in the page cache; median of {ROUNDS} rounds",
        files.len()
    );
    for (name, times) in
        ["the store", "Parquet alone, 1 thread", "Parquet alone, all threads"].iter().zip(times)
    {
        let time = median(times).as_secs_f64();
        println!("{name:30} {time:.3} s, {:.1} M/s", ENTRIES as f64 / time / 1e6);
    }
    Ok(())
}

/// Saves a dictionary of this many entries.
pub(crate) fn save(folder: &str, entries: usize) -> Result<()> {
    let config = Config::new().with_batch_size(BATCH);
    let mut dictionary = Dictionary::<u64, u32>::with_config(&Device::host(), config)?;
    for (keys, values) in batches(entries / BATCH) {
        dictionary.insert(&keys, &values)?;
    }
    Store::at(folder)?.save(&dictionary)?;
    Ok(())
}

pub(crate) fn load(folder: &str) -> Result<Dictionary<u64, u32>> {
    Ok(Store::at(folder)?.load(&Device::host())?)
}

fn files(folder: &str) -> Result<Vec<PathBuf>> {
    Path::new(folder).join("runs").read_dir()?.map(|file| -> Result<_> { Ok(file?.path()) }).collect()
}

/// Reads all rows of the files as Arrow's columns, and drops them.
fn read(files: &[PathBuf], threads: usize) -> Result<()> {
    let (next, rows) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || -> std::result::Result<(), String> {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            rows.fetch_add(read_file(file).map_err(|error| error.to_string())?, Ordering::Relaxed);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread panicked")?)
    })?;
    assert_eq!(rows.into_inner(), ENTRIES, "all rows were read");
    Ok(())
}

fn read_file(file: &Path) -> Result<usize> {
    let bytes = Bytes::from(std::fs::read(file)?);
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes)?.with_batch_size(BATCH).build()?;
    reader.map(|rows| -> Result<usize> { Ok(rows?.num_rows()) }).sum()
}
