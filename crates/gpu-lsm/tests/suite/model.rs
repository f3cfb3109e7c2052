//! Random operations on a dictionary and on a `BTreeMap`. Both must agree after every step.
//!
//! Half of the operations come from the same seeds in every run, the other half from new seeds. Each seed is printed,
//! and a failure names its own. `GPU_LSM_SEED=n` runs only that seed. `GPU_LSM_MODEL_OPERATIONS` sets the number of
//! operations that the main test applies on the GPU.

use crate::on_every_device;
use crate::support::{lives, new_seed, wide};
use gpu_lsm::Device;
use gpu_lsm_model::{KINDS, Kind, soak};
use std::time::Duration;

/// A test for each kind, with its share of the main test's operations.
macro_rules! agrees {
    ($($test:ident: $kind:literal, $share:literal;)+) => {
        on_every_device!($($test),+, a_short_soak_finds_no_mismatch);
        $(fn $test(device: &Device) {
            agrees(gpu_lsm_model::kind($kind), device, $share);
        })+

        #[test]
        fn every_kind_has_a_test() {
            assert_eq!(KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>(), [$($kind),+]);
        }
    };
}
agrees! {
    agrees_u32_u32: "u32_u32", 1;
    agrees_u64_f64: "u64_f64", 4;
    agrees_u32_nothing: "u32_nothing", 8;
    agrees_u64_wide: "u64_wide", 8;
    agrees_i32_u32: "i32_u32", 20;
    agrees_i64_u32: "i64_u32", 20;
    agrees_f32_u32: "f32_u32", 20;
    agrees_f64_u32: "f64_u32", 20;
    agrees_pair_u32: "pair_u32", 20;
    agrees_morton_u32: "morton_u32", 20;
    agrees_i32_f64: "i32_f64", 40;
    agrees_f32_wide: "f32_wide", 40;
    agrees_morton_nothing: "morton_nothing", 40;
}

fn agrees(kind: &Kind, device: &Device, share: u64) {
    if kind.has_wide_keys {
        wide(device, || live(kind, device, share));
    } else {
        live(kind, device, share);
    }
}

fn live(kind: &Kind, device: &Device, share: u64) {
    lives(device, share, |seed| kind.live(device, seed));
}

/// A short version of `just soak`.
fn a_short_soak_finds_no_mismatch(device: &Device) {
    let mut reports = 0;
    let progress = soak(device, new_seed(), Duration::from_secs(3), |_| reports += 1);
    assert_eq!(progress.mismatches, 0, "the seeds stand above");
    assert!(progress.lives > 0 && reports == progress.lives && progress.operations > 0, "{progress:?}");
}
