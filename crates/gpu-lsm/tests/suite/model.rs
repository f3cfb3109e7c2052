//! Random operations on a dictionary and on a `BTreeMap`, which must agree after every step.
//!
//! A failure names its seed; `GPU_LSM_SEED=n` runs that seed alone. `GPU_LSM_MODEL_OPERATIONS` sets how many operations
//! the main test applies to the GPU.

use crate::on_every_device;
use crate::support::{Pair, TestKey, TestValue, random_operations, rng, spread};
use gpu_lsm::Device;
use rand::RngExt;

on_every_device!(agrees_u32_u32, agrees_u64_f64, agrees_u32_nothing, agrees_u64_wide);

fn agrees_u32_u32(device: &Device) {
    agrees::<u32, u32>(device, 1);
}

fn agrees_u64_f64(device: &Device) {
    agrees::<u64, f64>(device, 4);
}

fn agrees_u32_nothing(device: &Device) {
    agrees::<u32, ()>(device, 8);
}

fn agrees_u64_wide(device: &Device) {
    agrees::<u64, [u32; 4]>(device, 8);
}

fn agrees<K: TestKey, V: TestValue>(device: &Device, share: u64) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    if let Some(seed) = number("GPU_LSM_SEED") {
        agrees_for_seed::<K, V>(device, seed);
        return;
    }
    let on_gpu = number("GPU_LSM_MODEL_OPERATIONS").unwrap_or(100_000);
    let goal = if device.is_host() { 1_000_000 } else { on_gpu } / share;
    let (mut done, mut seed) = (0, 0);
    while done < goal {
        done += agrees_for_seed::<K, V>(device, seed);
        seed += 1;
    }
}

/// A dictionary's life with one choice of sizes; returns how many operations it took.
fn agrees_for_seed<K: TestKey, V: TestValue>(device: &Device, seed: u64) -> u64 {
    let mut rng = rng(seed);
    let b = [1, 7, 64, 256, 1000][rng.random_range(0..5)];
    let universe = [40, 1000, 20_000][rng.random_range(0..3)];
    let deletes = [0.05, 0.3, 0.6, 0.95][rng.random_range(0..4)];
    let case = format!("GPU_LSM_SEED={seed}, b = {b}");
    let mut pair = Pair::<K, V>::new(device, b);
    let mut done = 0;
    for _ in 0..12 {
        let len = match rng.random_range(0..6) {
            0 => 0,
            1 => b,
            2 => rng.random_range(0..=b),
            3 => rng.random_range(b..=5 * b),
            _ => rng.random_range(0..=3000),
        };
        let operations = random_operations(&mut rng, len, universe, deletes);
        pair.apply(&operations);
        done += len as u64;
        let mut keys: Vec<K> = operations.iter().map(|operation| operation.0).collect();
        keys.extend((0..200).map(|_| spread::<K>(rng.random_range(0..universe + 20))));
        pair.check(&keys, &case);
        if rng.random_range(0..8) == 0 {
            pair.dictionary.cleanup().unwrap();
            assert_eq!(
                pair.dictionary.statistics().entries,
                pair.model.len() as u64,
                "{case}: after a cleanup"
            );
            pair.check(&keys, &case);
        }
    }
    pair.check_all(&case);
    done
}
