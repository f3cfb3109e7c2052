//! How fast durable dictionaries are written and opened, beside storage engines: `gpu-lsm-durable-rates insert|open|recover FOLDER`.
//!
//! Everything is on the host, with `u64` keys and `u32` values. The folder should be on the disk in question; it is emptied.

mod engines;
mod entries;
mod insert;
mod open;
mod recover;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["insert", folder] => insert::run(Path::new(folder)),
        ["open", folder] => open::run(Path::new(folder)),
        ["recover", folder] => recover::run(Path::new(folder)),
        _ => Err("give insert, open or recover, and a folder".into()),
    }
}

/// An empty folder of this name within another.
fn empty(folder: &Path, name: &str) -> Result<String> {
    let path = folder.join(name);
    if path.exists() {
        std::fs::remove_dir_all(&path)?;
    }
    std::fs::create_dir_all(&path)?;
    Ok(path.to_str().ok_or("the folder's name is no text")?.into())
}

/// How long something took, with its result.
fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(Duration, T)> {
    let start = Instant::now();
    let done = work()?;
    Ok((start.elapsed(), done))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
