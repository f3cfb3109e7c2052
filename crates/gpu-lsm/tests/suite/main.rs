//! Tests of the dictionary on every device: the rules of its contract, agreement with a model, failures, and space.

#![allow(clippy::unwrap_used, reason = "an error in a test is a failure of the test")]

mod budget;
mod calls;
mod chains;
#[cfg(any(feature = "gpu", target_os = "linux"))]
mod child;
mod columns;
mod corpus;
mod costs;
mod dead;
mod device;
#[cfg(feature = "gpu")]
mod engine;
#[cfg(target_os = "linux")]
mod exhaustion;
mod faults;
mod fork;
mod lengths;
mod limits;
mod model;
mod morton;
mod neighbour;
mod order;
mod range;
mod resident;
mod runs;
mod semantics;
#[cfg(feature = "gpu")]
mod settings;
mod sharded;
#[cfg(feature = "wgpu")]
mod shared;
mod single;
mod snapshot;
mod space;
mod support;
mod tables;

/// Instantiates test functions that take a device, for the host and, if it is compiled in, for the GPU.
macro_rules! on_every_device {
    ($($test:ident),+ $(,)?) => {
        mod host {
            $(#[test] fn $test() { super::$test(&gpu_lsm::Device::host()); })+
        }
        #[cfg(feature = "gpu")]
        mod gpu {
            $(#[test] fn $test() { super::$test(&crate::support::gpu()); })+
        }
    };
}
pub(crate) use on_every_device;
