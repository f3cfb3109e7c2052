//! A random life that passes through stores, beside the model of all tests: saved and loaded, or durable and opened again, at any
//! moment, on another device. `GPU_LSM_STORE_DEVICE=gpu` makes that a GPU, in a build that has one.

use crate::memory::Memory;
use crate::same::assert_same;
use gpu_lsm::{Config, Device};
use gpu_lsm_model::{Layout, Pair, TestKey, TestValue, batch, laid_out_operations, rng};
use gpu_lsm_store::{Durable, Options, Store, StoredKey, StoredValue};
use rand::RngExt;

/// The device that histories of the host are opened on, and the other way round.
fn other_device() -> Device {
    let name = std::env::var("GPU_LSM_STORE_DEVICE");
    name.map_or(Device::host(), |name| name.parse().unwrap())
}

fn lives() -> u64 {
    std::env::var("GPU_LSM_LIVES").map_or(12, |lives| lives.parse().unwrap())
}

/// One seed if `GPU_LSM_SEED` names it; otherwise many, of which half are new in every run.
pub(crate) fn seeds() -> Vec<u64> {
    match std::env::var("GPU_LSM_SEED") {
        Ok(seed) => vec![seed.parse().unwrap()],
        Err(_) => {
            let new = rand::rng().random_range(1000..u64::MAX / 2);
            (0..lives() / 2).chain(new..new + lives() / 2).collect()
        }
    }
}

fn open<K: StoredKey, V: StoredValue>(store: &Store, device: &Device, b: usize) -> Durable<K, V> {
    let options = Options::new().with_config(Config::new().with_batch_size(b)).with_part_bytes(10_000);
    store.write(device, options).unwrap()
}

/// One dictionary is saved and loaded, another is durable; both get the same batches, and must always have the same levels.
pub(crate) fn live<K: TestKey + StoredKey, V: TestValue + StoredValue>(seed: u64) {
    let (mut rng, devices) = (rng(seed), [Device::host(), other_device()]);
    let b = [1, 7, 64, 256, 1000][rng.random_range(0..5)];
    let layout = Layout::ALL[rng.random_range(0..Layout::ALL.len())];
    let (universe, deletes) =
        ([40, 1000, 20_000][rng.random_range(0..3)], [0.05, 0.3, 0.9][rng.random_range(0..3)]);
    let case = format!("GPU_LSM_SEED={seed}, b = {b}, {layout:?}");
    eprintln!("{case}");
    let [saved, logged] = [Memory::new(), Memory::new()].map(|memory| Store::over(memory));
    let mut pair = Pair::<K, V>::new(&devices[1], b);
    let mut durable = open::<K, V>(&logged, &devices[0], b);
    for _ in 0..12 {
        let len = rng.random_range(0..=3 * b);
        let operations = laid_out_operations(&mut rng, len, (layout, universe), deletes);
        pair.apply(&operations);
        durable.apply(&batch(&operations)).unwrap();
        let device = &devices[rng.random_range(0..2)];
        match rng.random_range(0..5) {
            0 => durable.checkpoint().map(drop).unwrap(),
            1 => {
                drop(durable);
                durable = open(&logged, device, b);
            }
            2 => {
                durable.cleanup().unwrap();
                pair.dictionary.cleanup().unwrap();
            }
            _ => {
                saved.save(&pair.dictionary).unwrap();
                pair.dictionary = saved.load(device).unwrap();
                pair.dictionary.verify().unwrap();
            }
        }
        assert_same(&pair.dictionary, &durable);
        let keys: Vec<K> = operations.iter().map(|operation| operation.0).collect();
        pair.check(&keys, &case);
    }
    drop(durable);
    for device in &devices {
        assert_same(&pair.dictionary, &logged.load::<K, V>(device).unwrap());
    }
    pair.check_all(&case);
}

/// A test for each pair of types, which runs all seeds.
macro_rules! kinds {
    ($($name:ident: $key:ty, $value:ty;)+) => { $(
        #[test]
        fn $name() {
            crate::life::seeds().into_iter().for_each(crate::life::live::<$key, $value>);
        }
    )+ };
}
pub(crate) use kinds;
