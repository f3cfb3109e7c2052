//! Functions that several kernels use. A kernel imports from here, never from another kernel.

pub(crate) mod compacting;
pub(crate) mod filter;
pub(crate) mod four;
pub(crate) mod marks;
pub(crate) mod merging;
pub(crate) mod packing;
pub(crate) mod points;
pub(crate) mod queries;
pub(crate) mod searching;
pub(crate) mod staged_merging;
pub(crate) mod staging;
pub(crate) mod summing;
pub(crate) mod values;
