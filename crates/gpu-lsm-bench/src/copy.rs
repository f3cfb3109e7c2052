//! The fastest copy of a device: what the bytes that operations move are compared with.

use crate::error::Result;
use gpu_lsm::Device;
#[cfg(feature = "gpu")]
use gpu_lsm_primitives::{Backend, gpu::Gpu};
use rayon::prelude::*;
use std::time::Instant;

/// How many words are copied.
pub const SIZES: [usize; 4] = [1 << 18, 1 << 20, 1 << 22, 1 << 24];
/// How often; the fastest counts.
const REPETITIONS: usize = 5;
/// Words that one task of the host copies.
const PIECE: usize = 1 << 15;

/// Seconds that the fastest of several copies of `words` words takes. Waits for the device.
///
/// # Errors
/// Where there is no room.
pub fn fastest(device: &Device, words: usize) -> Result<f64> {
    #[cfg(feature = "gpu")]
    if let Some(gpu) = device.as_gpu() {
        return on_gpu(gpu, words);
    }
    debug_assert!(device.is_host());
    Ok(on_host(words))
}

/// A copy by the library's own copy kernel.
#[cfg(feature = "gpu")]
fn on_gpu(gpu: &Gpu, words: usize) -> Result<f64> {
    let (from, nothing) = (gpu.upload(&vec![1u32; words])?, gpu.upload::<u32>(&[])?);
    let mut best = f64::INFINITY;
    for _ in 0..REPETITIONS {
        gpu.download(&from, 1)?;
        let started = Instant::now();
        let to = gpu.concat(&from, &nothing)?;
        gpu.download(&to, 1)?;
        best = best.min(started.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// A copy by all cores.
fn on_host(words: usize) -> f64 {
    let (from, mut to) = (vec![1u32; words], vec![2u32; words]);
    let copy = |to: &mut [u32]| {
        let started = Instant::now();
        to.par_chunks_mut(PIECE).zip(from.par_chunks(PIECE)).for_each(|(to, from)| to.copy_from_slice(from));
        started.elapsed().as_secs_f64()
    };
    let best = (0..REPETITIONS).map(|_| copy(&mut to)).fold(f64::INFINITY, f64::min);
    assert_eq!(to[words - 1], 1);
    best
}
