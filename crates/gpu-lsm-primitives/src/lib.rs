//! Sort, scan, select, merge, search and range queries over arrays of keys and values, on the host and on GPUs.
//!
//! The parts of a dictionary of sorted runs, without the dictionary: this crate knows arrays and entries, not levels.
//! [`Backend`] is the whole menu. It has two implementations that agree byte for byte: [`host::Host`], parallel with
//! rayon, and `gpu::Gpu`, kernels on CubeCL (with any of the features `wgpu`, `vulkan`, `metal`, `cuda`, `hip`).
//!
//! Made for the crate `gpu-lsm`; usable alone, with fewer promises of stability.

pub mod arrays;
pub mod backend;
#[cfg(feature = "baselines")]
pub mod baselines;
pub mod entries;
pub mod error;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod host;
pub mod key;
pub mod meter;
mod pages;
pub mod recoding;
#[doc(hidden)]
pub mod reference;
pub mod selftest;
pub mod tuning;
pub mod value;

pub use backend::{Array, Arrays, Backend, DeviceClock, Download, Nearby, Start, Turn, Way, check_entries};
pub use entries::{
    Answers, Bounds, Candidates, Neighbours, Pile, Run, Sorted, Tally, Tombstones, found, index_len,
    mark_words,
};
pub use error::{Error, Result};
pub use key::{Key, KeyWidth};
pub use meter::{Meter, Traffic};
pub use recoding::Recoding;
pub use value::{Plain, Value};
