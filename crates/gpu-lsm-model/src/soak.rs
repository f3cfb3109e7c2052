//! Soaks: lives with ever new seeds for as long as you like.

use crate::life::{KINDS, Kind};
use gpu_lsm::Device;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// After this many mismatches, more of them would tell nothing new.
const MOST_MISMATCHES: u64 = 10;

/// The progress of a soak.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// How long it has run.
    pub elapsed: Duration,
    /// The number of lives started.
    pub lives: u64,
    /// The number of their operations, without those of lives with a mismatch.
    pub operations: u64,
    /// The number of lives in which an answer was wrong or a call failed.
    pub mismatches: u64,
}

/// Runs lives of all kinds, with seeds from `seed` on, until the time is over. Calls `report` after each life.
///
/// On a mismatch it prints the command that reproduces it, and continues.
pub fn soak(device: &Device, seed: u64, time: Duration, report: impl FnMut(&Progress)) -> Progress {
    let has_wide_keys = device.limits().has_u64_keys;
    let kinds: Vec<Kind> =
        KINDS.iter().copied().filter(|kind| has_wide_keys || !kind.has_wide_keys).collect();
    soak_kinds(&kinds, device, seed, time, report)
}

fn soak_kinds(
    kinds: &[Kind],
    device: &Device,
    seed: u64,
    time: Duration,
    mut report: impl FnMut(&Progress),
) -> Progress {
    let start = Instant::now();
    let mut progress = Progress::default();
    for (seed, kind) in (seed..).flat_map(|seed| kinds.iter().map(move |kind| (seed, kind))) {
        match catch_unwind(AssertUnwindSafe(|| kind.live(device, seed))) {
            Ok(operations) => progress.operations += operations,
            Err(_) => {
                progress.mismatches += 1;
                println!("mismatch on {}: GPU_LSM_SEED={seed} just test agrees_{}", device.name(), kind.name);
            }
        }
        progress.lives += 1;
        progress.elapsed = start.elapsed();
        report(&progress);
        if progress.elapsed >= time || progress.mismatches >= MOST_MISMATCHES {
            break;
        }
    }
    progress
}

#[cfg(test)]
mod tests {
    use super::{Kind, soak_kinds};
    use gpu_lsm::Device;
    use std::time::Duration;

    #[test]
    fn a_soak_counts_mismatches_and_ends_after_many() {
        let life = |_: &Device, seed| {
            assert!(seed < 5, "a wrong answer");
            100
        };
        let kind = Kind { name: "test", has_wide_keys: false, life };
        let mut reports = 0;
        let hour = Duration::from_secs(3600);
        let progress = soak_kinds(&[kind, kind], &Device::host(), 3, hour, |_| reports += 1);
        assert_eq!((progress.lives, progress.operations, progress.mismatches), (14, 400, 10));
        assert_eq!(reports, 14);
    }

    #[test]
    fn a_soak_ends_when_its_time_is_over() {
        let kind = Kind { name: "test", has_wide_keys: false, life: |_, _| 1 };
        let progress = soak_kinds(&[kind], &Device::host(), 0, Duration::ZERO, |_| {});
        assert_eq!((progress.lives, progress.operations, progress.mismatches), (1, 1, 0));
    }
}
