//! The bare sort on a device, as a yardstick for the insertion of the same batches.

use crate::error::Result;
use crate::measure::structure::Update;
use crate::record::measurement::Timing;
use gpu_lsm::Device;
use gpu_lsm_primitives::host::Host;
use gpu_lsm_primitives::{Backend, Meter};
use std::time::Instant;

/// Sorts the keys of a batch with their positions, and nothing else. Also returns the sorted keys. Waits for the
/// device.
///
/// # Errors
/// If memory runs out.
pub fn bare(device: &Device, batch: Update<'_>) -> Result<(Timing, Vec<u32>)> {
    #[cfg(feature = "gpu")]
    if let Some(gpu) = device.as_gpu() {
        return on(gpu, batch);
    }
    debug_assert!(device.is_host());
    on(&Host::new(Meter::new(None)), batch)
}

fn on<B: Backend>(backend: &B, batch: Update<'_>) -> Result<(Timing, Vec<u32>)> {
    let keys = backend.upload(batch.keys)?;
    backend.download(&keys, 1)?;
    let started = Instant::now();
    let sorted = backend.sort(&keys)?;
    backend.download(&sorted.positions, 1)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok((Timing { seconds, ..Timing::default() }, backend.download(&sorted.keys, batch.keys.len())?))
}
