//! The devices under test, and helpers that wait for results. The model is in a crate of its own, which soak tests and
//! fuzzing use too.

use gpu_lsm::Device;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

pub(crate) use gpu_lsm_model::{
    Operation, Pair, TestKey, TestValue, batch, codes, random_operations, rng, spread,
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
