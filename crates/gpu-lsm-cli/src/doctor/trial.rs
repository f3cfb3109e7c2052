//! A device in use: how long its kernels take to compile, and its self-test.

use crate::check::self_test;
use gpu_lsm::{Config, Device, Dictionary, Error, Result};
use serde_json::{Value, json};
use std::time::Instant;

/// What came of using a device.
pub(super) struct Trial {
    /// How much longer the first use of the kernels took than the second, in seconds, or why it failed; `None` on the host.
    kernels: Option<Result<f64>>,
    /// How many checks there are, and how long they took.
    checks: usize,
    seconds: f64,
    /// The first failure.
    pub(super) result: Result<()>,
}

impl Trial {
    /// Uses a device. Waits for it; takes seconds, or minutes on a slow one.
    pub(super) fn of(device: &Device) -> Self {
        let kernels = (!device.is_host()).then(|| compilation(device));
        let test = self_test(device);
        let result = match &kernels {
            Some(Err(error)) => Err(error.clone()),
            _ => test.result,
        };
        Self { kernels, checks: test.checks, seconds: test.seconds, result }
    }

    /// A device that failed.
    #[cfg(all(test, target_os = "linux"))]
    pub(super) fn failed(error: Error) -> Self {
        Self { kernels: None, checks: 0, seconds: 0.0, result: Err(error) }
    }

    pub(super) fn to_text(&self) -> Vec<String> {
        let kernels = self.kernels.as_ref().and_then(|kernels| kernels.as_ref().ok());
        let compiled = kernels.map(|seconds| {
            format!("kernels of one dictionary compiled, or taken from the driver's cache, in {seconds:.2} s")
        });
        let tested = match &self.result {
            Ok(()) => format!("self-test: {0} of {0} checks passed in {1:.1} s", self.checks, self.seconds),
            Err(error) => format!("self-test FAILED: {error}"),
        };
        compiled.into_iter().chain([tested]).collect()
    }

    pub(super) fn to_json(&self) -> Value {
        let error = self.result.as_ref().err().map(Error::to_string);
        json!({
            "kernels_seconds": self.kernels.as_ref().and_then(|kernels| kernels.as_ref().ok()),
            "self_test": { "passed": error.is_none(), "checks": self.checks, "seconds": self.seconds, "error": error },
        })
    }
}

/// How much longer the first small life of a dictionary takes than the second, in seconds.
fn compilation(device: &Device) -> Result<f64> {
    let first = life(device)?;
    let second = life(device)?;
    Ok((first - second).max(0.0))
}

/// The time of a few updates and of each query, in seconds.
fn life(device: &Device) -> Result<f64> {
    const BATCH: u32 = 256;
    let started = Instant::now();
    let config = Config::new().with_batch_size(BATCH as usize);
    let mut dictionary = Dictionary::<u32, u32>::with_config(device, config)?;
    for batch in 0..3 {
        let keys: Vec<_> = (0..BATCH).map(|key| 3 * key + batch).collect();
        dictionary.insert(&keys, &keys)?;
    }
    dictionary.delete(&[3, 4, 5])?;
    dictionary.lookup(&[0, 3, 6])?;
    dictionary.count(&[0], &[BATCH])?;
    dictionary.range(&[0], &[BATCH])?;
    dictionary.successor(&[3])?;
    dictionary.cleanup()?;
    Ok(started.elapsed().as_secs_f64())
}
