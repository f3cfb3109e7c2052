//! The dictionary in twenty lines, on the device that the first argument names (`auto`, `host`, `gpu`, ...):
//!
//! ```text
//! cargo run --release -p gpu-lsm --example quickstart -- gpu
//! ```

use gpu_lsm::{Batch, Device, Dictionary};

fn main() -> gpu_lsm::Result<()> {
    let name = std::env::args().nth(1).unwrap_or("auto".into());
    let device: Device = name.parse()?;
    eprintln!("on {}", device.name());

    // A million entries in one call, then a batch of changes.
    let keys: Vec<u32> = (0..1_000_000).map(|i| i * 3).collect();
    let values: Vec<u32> = keys.iter().map(|key| key / 3).collect();
    let mut dictionary = Dictionary::<u32, u32>::new(&device)?;
    dictionary.insert(&keys, &values)?;
    dictionary.update(&[0, 1, u32::MAX], &[100, 101, 102], &[3, 6])?;

    // A batch of mixed operations: of several operations on one key, the last wins.
    let mut batch = Batch::new();
    batch.insert(9, 1);
    batch.insert(9, 2);
    batch.delete(12);
    dictionary.apply(&batch)?;

    for (key, value) in [0, 1, 2, 3, 9, 12, 15, u32::MAX]
        .iter()
        .zip(dictionary.lookup(&[0, 1, 2, 3, 9, 12, 15, u32::MAX])?.iter())
    {
        println!("{key:>10}: {value:?}");
    }
    dictionary.cleanup()?;
    println!("{} entries after a cleanup", dictionary.statistics().entries);
    Ok(())
}
