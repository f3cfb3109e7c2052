//! The bare sort of a device: what the insertion of the same batches is compared with.

use crate::error::Result;
use crate::structure::{Timing, Update};
use gpu_lsm::Device;
#[cfg(feature = "gpu")]
use gpu_lsm_primitives::{Backend, gpu::Gpu};
use rayon::prelude::*;
use std::time::Instant;

/// Sorts a batch's entries, and nothing else; also returns the keys in their order. Waits for the device.
///
/// # Errors
/// Where there is no room.
pub fn bare(device: &Device, batch: Update<'_>) -> Result<(Timing, Vec<u32>)> {
    #[cfg(feature = "gpu")]
    if let Some(gpu) = device.as_gpu() {
        return on_gpu(gpu, batch);
    }
    debug_assert!(device.is_host());
    Ok(on_host(batch))
}

/// By the library's own sort of keys with their positions.
#[cfg(feature = "gpu")]
fn on_gpu(gpu: &Gpu, batch: Update<'_>) -> Result<(Timing, Vec<u32>)> {
    let keys = gpu.upload(batch.keys)?;
    gpu.download(&keys, 1)?;
    let started = Instant::now();
    let sorted = gpu.sort(&keys)?;
    gpu.download(&sorted.positions, 1)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok((Timing { seconds, ..Timing::default() }, gpu.download(&sorted.keys, batch.keys.len())?))
}

/// By rayon's parallel sort, a key and its value in one number.
fn on_host(batch: Update<'_>) -> (Timing, Vec<u32>) {
    let pairs = batch.keys.par_iter().zip(batch.values);
    let mut pairs: Vec<u64> =
        pairs.map(|(&key, &value)| u64::from(key) << u32::BITS | u64::from(value)).collect();
    let started = Instant::now();
    pairs.par_sort_unstable();
    let seconds = started.elapsed().as_secs_f64();
    let keys = pairs.par_iter().map(|pair| (pair >> u32::BITS) as u32).collect();
    (Timing { seconds, ..Timing::default() }, keys)
}
