//! Kernels, one file per primitive, generic over the key; what they lend each other is in `shared`. They are launched only
//! through the tables that declare them: `gpu/registry.rs` and, for other dictionaries, `gpu/baselines/registry.rs`.
//!
//! Conventions: a kernel takes buffers, then 32-bit numbers, then what is fixed when it is compiled. A buffer's length
//! is the number of elements that may be touched; an absent optional buffer has length 0. Cubes are as wide as the
//! device allows, at most [`UNITS`], in one dimension; the grid may be folded and larger than needed, so every kernel
//! checks its position. No cube waits for another, and no unit loops over a data-sized range.
//!
//! [`UNITS`]: crate::tuning::UNITS

#[cfg(feature = "baselines")]
pub(super) mod baselines;
pub(super) mod bounds;
pub(super) mod clip;
pub(super) mod copy;
pub(super) mod expand;
pub(super) mod fill;
pub(super) mod gather;
pub(super) mod index;
pub(super) mod marks;
pub(super) mod merge;
pub(super) mod nearest;
pub(super) mod overlay;
pub(super) mod recode;
pub(super) mod scan;
pub(super) mod search;
pub(super) mod select;
mod shared;
pub(super) mod sort;
pub(super) mod tally;
pub(super) mod window;
