//! Every primitive on every backend, against a plain sequential reference. So each primitive equals its twin, byte for
//! byte.

#![allow(clippy::unwrap_used, reason = "an error in a test is a failure of the test")]

#[cfg(feature = "baselines")]
mod baselines;
mod bounds;
mod clip;
mod columns;
mod copy;
mod cover;
mod expand;
mod fill;
#[cfg(feature = "gpu")]
mod hook;
mod index;
mod mask;
mod merge;
mod nearest;
mod outside;
mod overlay;
mod recode;
mod scan;
mod search;
mod select;
mod sort;
mod support;
mod tally;
mod window;

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
