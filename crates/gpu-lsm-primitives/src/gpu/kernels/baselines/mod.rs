//! Kernels that only the baselines need.

pub(crate) mod cuckoo;
pub(crate) mod encode;
pub(crate) mod interleave;
pub(crate) mod intervals;
pub(crate) mod number;
pub(crate) mod place;
pub(crate) mod probe;
mod shared;
pub(crate) mod unite;
pub(crate) mod validate;
