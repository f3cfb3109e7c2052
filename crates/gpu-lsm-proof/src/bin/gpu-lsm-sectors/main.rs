//! Runs kernels and operations on documented inputs, while the process that runs the kernels counts their memory
//! transactions. Or runs the same kernels on a device, and times them.
//!
//! ```text
//! GPU_LSM_KERNELS=PROGRAM GPU_LSM_SECTORS=FILE gpu-lsm-sectors kernels|operations [short]
//! GPU_LSM_SECTORS=FILE gpu-lsm-sectors times DEVICE
//! ```
//!
//! `proof/harness.py --count` makes the program, and `proof/sectors.py` makes tables of the file. `tools/gpu_hour` puts
//! the times beside the model's.

mod baselines;
mod inputs;
mod lab;
mod operations;
mod primitives;

use gpu_lsm_primitives::{Code, Result, Value};
use lab::{Journal, Lab};
use std::error::Error;

/// How often cases are timed.
const ROUNDS: usize = 4;

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let journal = Journal::from_environment()?;
    match arguments[..] {
        ["kernels"] => kernels(&Lab::counting(&journal)?)?,
        ["kernels", "short"] => short(&Lab::counting(&journal)?)?,
        ["operations"] => operations::all(&journal)?,
        ["operations", "short"] => operations::short(&journal)?,
        ["times", device] => times(&journal, &Lab::timing(&journal, device)?)?,
        _ => return Err("kernels or operations, and perhaps short; or times, and a device's name".into()),
    }
    Ok(())
}

/// Every kernel, with keys and values of all widths.
fn kernels(lab: &Lab<'_>) -> Result<()> {
    primitives::on_numbers(lab)?;
    short(lab)?;
    of_keys::<u64>(lab)?;
    primitives::rectangles(lab)?;
    of_values::<u32, _>(lab, ())?;
    of_values::<u32, _>(lab, 0u64)?;
    of_values::<u32, _>(lab, 0u128)?;
    of_values::<u64, _>(lab, ())?;
    of_values::<u64, _>(lab, 0u64)?;
    of_values::<u64, _>(lab, 0u128)?;
    baselines::updates(lab)?;
    baselines::queries(lab)?;
    baselines::hash_table(lab)
}

/// The kernels for keys and values of one word, round by round: drivers compile in the first
/// one, so the fastest counts.
fn times(journal: &Journal, lab: &Lab<'_>) -> Result<()> {
    for _ in 0..ROUNDS {
        journal.note(&["round"]);
        primitives::on_numbers(lab)?;
        short(lab)?;
    }
    Ok(())
}

/// The kernels of keys and values of one word.
fn short(lab: &Lab<'_>) -> Result<()> {
    of_keys::<u32>(lab)
}

fn of_keys<K: Code>(lab: &Lab<'_>) -> Result<()> {
    of_values::<K, _>(lab, 0u32)?;
    primitives::counts::<K>(lab)?;
    primitives::neighbours::<K>(lab)
}

fn of_values<K: Code, V: Value>(lab: &Lab<'_>, value: V) -> Result<()> {
    primitives::batches::<K, V>(lab, value)?;
    primitives::merges::<K, V>(lab, value)?;
    primitives::runs::<K, V>(lab, value)?;
    primitives::lookups::<K, V>(lab, value)?;
    primitives::ranges::<K, V>(lab, value)
}
