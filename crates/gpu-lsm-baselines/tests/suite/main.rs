//! The other dictionaries on every backend: against a model, and against those rules of the contract that apply to them.

#![allow(clippy::unwrap_used, reason = "an error in a test is a failure of the test")]

mod corpus;
mod cuckoo_hash;
mod model;
mod semantics;
mod support;

/// Instantiates generic test functions for the host and, if it is compiled in, the GPU.
macro_rules! on_every_backend {
    ($($test:ident),+ $(,)?) => {
        mod host {
            $(#[test] fn $test() { super::$test(&crate::support::host()); })+
        }
        #[cfg(feature = "gpu")]
        mod gpu {
            $(#[test] fn $test() { super::$test(&crate::support::gpu()); })+
        }
    };
}
pub(crate) use on_every_backend;
