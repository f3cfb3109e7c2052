//! Functions that several kernels use. A kernel imports from here, never from another kernel.

pub(crate) mod filter;
pub(crate) mod marks;
pub(crate) mod merging;
pub(crate) mod queries;
pub(crate) mod searching;
pub(crate) mod values;
