//! Kernels, one file per primitive, generic over the key. Functions that several kernels use are in `shared`. A kernel
//! can only be launched through the table that declares it: `gpu/registry.rs` or, for the baselines,
//! `gpu/baselines/registry.rs`.
//!
//! Conventions: a kernel takes buffers, then 32-bit numbers, then compile-time parameters. A buffer's length is the
//! number of elements that the kernel may touch; an absent optional buffer has length 0. Cubes are one-dimensional and
//! as wide as the device allows, at most [`UNITS`]. The grid may be folded and larger than needed, so every kernel
//! checks its position. No cube waits for another, and no unit loops over a range whose length grows with the data.
//!
//! [`UNITS`]: crate::tuning::UNITS

#[cfg(feature = "baselines")]
pub(super) mod baselines;
pub(super) mod bounds;
pub(super) mod clip;
pub(super) mod copy;
pub(super) mod cover;
pub(super) mod expand;
pub(super) mod fill;
pub(super) mod gather;
pub(super) mod index;
pub(super) mod marks;
pub(super) mod mask;
pub(super) mod merge;
pub(super) mod nearest;
pub(super) mod outside;
pub(super) mod overlay;
pub(super) mod recode;
pub(super) mod scan;
pub(super) mod search;
pub(super) mod select;
pub(super) mod shared;
pub(super) mod sort;
pub(super) mod tally;
pub(super) mod window;
