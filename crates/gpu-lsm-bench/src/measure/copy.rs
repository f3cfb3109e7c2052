//! The fastest copy on a device, as a yardstick for the bytes that operations move.

use crate::error::{Error, Result};
use gpu_lsm::Device;
#[cfg(feature = "gpu")]
use gpu_lsm_primitives::{Backend, gpu::Gpu};
use rayon::prelude::*;
use std::time::Instant;

/// The numbers of words that are copied.
pub const SIZES: [usize; 4] = [1 << 18, 1 << 20, 1 << 22, 1 << 24];
/// The number of repetitions. The fastest is taken.
const REPETITIONS: usize = 5;
/// The number of words that one task of the host copies.
const PIECE: usize = 1 << 15;

/// The seconds of the fastest of several copies of `words` words. Waits for the device.
///
/// # Errors
/// If memory runs out.
pub fn fastest(device: &Device, words: usize) -> Result<f64> {
    #[cfg(feature = "gpu")]
    if let Some(gpu) = device.as_gpu() {
        return on_gpu(gpu, words);
    }
    debug_assert!(device.is_host());
    on_host(words)
}

/// Copies with the library's own copy kernel.
#[cfg(feature = "gpu")]
fn on_gpu(gpu: &Gpu, words: usize) -> Result<f64> {
    let numbers: Vec<u32> = (0..words as u32).collect();
    let (from, nothing) = (gpu.upload(&numbers)?, gpu.upload::<u32>(&[])?);
    let mut best = f64::INFINITY;
    for _ in 0..REPETITIONS {
        gpu.download(&from, 1)?;
        let started = Instant::now();
        let to = gpu.concat(&from, &nothing)?;
        gpu.download(&to, 1)?;
        best = best.min(started.elapsed().as_secs_f64());
        check(&numbers, &gpu.download(&to, words)?)?;
    }
    Ok(best)
}

/// Copies with all cores.
fn on_host(words: usize) -> Result<f64> {
    let numbers: Vec<u32> = (0..words as u32).collect();
    let mut best = f64::INFINITY;
    for _ in 0..REPETITIONS {
        // Written beforehand, so that the clock does not include first-touch page faults.
        let mut to = vec![1u32; words];
        let started = Instant::now();
        let pieces = to.par_chunks_mut(PIECE).zip(numbers.par_chunks(PIECE));
        pieces.for_each(|(to, from)| to.copy_from_slice(from));
        best = best.min(started.elapsed().as_secs_f64());
        check(&numbers, &to)?;
    }
    Ok(best)
}

fn check(from: &[u32], to: &[u32]) -> Result<()> {
    if from == to {
        return Ok(());
    }
    let what = "what was copied is not what was there".into();
    Err(Error::Mismatch { structure: "copy".into(), sample: format!("{} words", from.len()), what })
}
