//! The devices under test, and helpers that wait for results. The model is in a crate of its own, which soak tests and
//! fuzzing use too.

use gpu_lsm::{Device, Dictionary, Error, Key, Traffic, Value};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

pub(crate) use gpu_lsm_model::{
    Operation, Pair, TestKey, TestValue, batch, codes, columns, random_operations, rng, spread,
};

/// The best GPU, which may be software Vulkan. If there is none, the test fails; it is not skipped.
#[cfg(feature = "gpu")]
pub(crate) fn gpu() -> Device {
    Device::gpu().expect("the GPU tests need a Vulkan driver, for instance mesa-vulkan-drivers")
}

/// Runs a part of a test that needs 64-bit keys. On a device without them, it must fail with the error that says so.
pub(crate) fn wide(device: &Device, part: impl FnOnce()) {
    if device.limits().has_u64_keys {
        return part();
    }
    let panic = catch_unwind(AssertUnwindSafe(part)).expect_err("64-bit keys are refused");
    match panic.downcast_ref::<String>() {
        Some(text) if text.contains("Unsupported { what: \"64-bit keys\"") => println!("refused: {text}"),
        _ => resume_unwind(panic),
    }
}

/// Polls a future until it is done.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
            std::task::Poll::Ready(answer) => return answer,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

/// What a call copies, and how often it waits. On the host nothing ever waits.
pub(crate) fn cost<K: Key, V: Value, R>(
    dictionary: &mut Dictionary<K, V>,
    call: impl FnOnce(&mut Dictionary<K, V>) -> Result<R, Error>,
) -> (u64, u64, u64) {
    let before = dictionary.statistics().traffic;
    drop(call(dictionary).unwrap());
    let Traffic { uploaded, downloaded, waits, .. } = dictionary.statistics().traffic;
    (uploaded - before.uploaded, downloaded - before.downloaded, waits - before.waits)
}

/// The expected cost: this many waits on a GPU, and this many bytes read back there. The host backend copies nothing.
pub(crate) fn on_gpu(device: &Device, downloaded: u64, waits: u64) -> (u64, u64, u64) {
    if device.is_host() { (0, 0, 0) } else { (0, downloaded, waits) }
}

/// Runs lives until their share of the model tests' operations is done: a million on the host, and on a GPU a hundred
/// thousand or what `GPU_LSM_MODEL_OPERATIONS` says. Half of them come from seeds that are always the same.
/// `GPU_LSM_SEED` runs only that seed.
pub(crate) fn lives(device: &Device, share: u64, live: impl Fn(u64) -> u64) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    if let Some(seed) = number("GPU_LSM_SEED") {
        live(seed);
        return;
    }
    let on_gpu = number("GPU_LSM_MODEL_OPERATIONS").unwrap_or(100_000);
    let goal = if device.is_host() { 1_000_000 } else { on_gpu } / share;
    let done = live_from(0, goal / 2, &live);
    live_from(new_seed(), goal.saturating_sub(done), &live);
}

/// Runs at least one life, and further ones with the next seeds until this many operations are done. Returns their
/// number.
fn live_from(first_seed: u64, operations: u64, live: impl Fn(u64) -> u64) -> u64 {
    let mut done = 0;
    for seed in first_seed.. {
        println!("GPU_LSM_SEED={seed}");
        done += live(seed);
        if done >= operations {
            break;
        }
    }
    done
}

/// Short enough to type. A multiple of eight, because one seed in eight makes a large life: so equally many lives are
/// large.
pub(crate) fn new_seed() -> u64 {
    u64::from(rand::random::<u32>() & !7)
}
