//! Sort, scan, select, merge, search and range queries over arrays of keys and values, on the host and on GPUs.
//!
//! These are the parts of a dictionary of sorted runs without the dictionary itself: this crate knows arrays and
//! entries, but no levels. The trait [`Backend`] lists all primitives. It has two implementations that agree byte for
//! byte: [`host::Host`], parallel with rayon, and `gpu::Gpu`, kernels on CubeCL (with any of the features `wgpu`,
//! `vulkan`, `metal`, `cuda`, `hip`).
//!
//! It is made for the crate `gpu-lsm`. It can be used alone, with fewer promises of stability.

pub mod arrays;
pub mod backend;
#[cfg(feature = "baselines")]
pub mod baselines;
pub mod code;
pub mod columns;
pub mod entries;
pub mod error;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod host;
mod memory;
pub mod meter;
mod pages;
pub mod recoding;
#[doc(hidden)]
pub mod reference;
pub mod selftest;
pub mod traffic;
pub mod tuning;
pub mod value;
pub mod ways;

pub use backend::{Array, Arrays, Backend, DeviceClock, Download, Nearby, Start, Turn, Way, check_entries};
pub use code::{Code, KeyWidth};
pub use columns::Columns;
pub use entries::{
    Answers, Bounds, Candidates, Neighbours, Pile, Run, Sorted, Tally, Tombstones, found, index_len,
    mark_words,
};
pub use error::{Error, Result};
pub use meter::Meter;
pub use recoding::Recoding;
pub use traffic::Traffic;
pub use value::{Plain, Value, Words};
