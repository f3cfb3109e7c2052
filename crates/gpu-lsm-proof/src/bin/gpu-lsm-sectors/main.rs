//! Runs kernels and operations on documented inputs, while the process that runs the kernels counts their memory
//! transactions.
//!
//! ```text
//! GPU_LSM_KERNELS=PROGRAM GPU_LSM_SECTORS=FILE gpu-lsm-sectors kernels|operations [short]
//! ```
//!
//! `proof/harness.py --count` makes the program, and `proof/sectors.py` makes tables of the file.

mod baselines;
mod inputs;
mod lab;
mod operations;
mod primitives;

use gpu_lsm_primitives::{Code, Result, Value};
use lab::{Journal, Lab};
use std::error::Error;

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let journal = Journal::from_environment()?;
    match arguments[..] {
        ["kernels"] => kernels(&Lab::open(&journal)?)?,
        ["kernels", "short"] => short(&Lab::open(&journal)?)?,
        ["operations"] => operations::all(&journal)?,
        ["operations", "short"] => operations::short(&journal)?,
        _ => return Err("kernels or operations, and perhaps short".into()),
    }
    Ok(())
}

/// Every kernel, with keys and values of all widths.
fn kernels(lab: &Lab<'_>) -> Result<()> {
    primitives::on_numbers(lab)?;
    short(lab)?;
    of_keys::<u64>(lab)?;
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
