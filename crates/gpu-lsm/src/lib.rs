//! An ordered dictionary that lives on the GPU.
//!
//! Sorted arrays of doubling size, updated in batches by sort and merge, that answer millions of queries at once: the
//! structure of "GPU LSM: A Dynamic Dictionary Data Structure for the GPU" (Ashkiani et al., 2018), for every vendor
//! and for none. The same calls give the same bytes on the host and on every GPU.
//!
//! ```
//! use gpu_lsm::{Device, Dictionary};
//!
//! let mut dictionary = Dictionary::<u32, u32>::new(&Device::auto())?;
//! dictionary.insert(&[3, 1, 2], &[30, 10, 20])?;
//! dictionary.delete(&[2])?;
//! assert_eq!(dictionary.lookup(&[1, 2, 3])?.to_vec(), [Some(10), None, Some(30)]);
//! # Ok::<(), gpu_lsm::Error>(())
//! ```
//!
//! # Contents
//!
//! - [`Dictionary`]: create, build, insert, delete, update, apply, delete ranges, clean up, take snapshots
//! - [`Snapshot`], and so every dictionary: lookup, count, range, successor, predecessor, first, last, scan,
//!   len, statistics, verify
//! - [`OnDevice`]: the same queries with their results left on the device; [`Buffer`]: data that is there
//! - [`Batch`]: mixed operations in order
//! - [`Key`]: what can be a key; [`Morton`]: points, and rectangles of them
//! - [`Device`]: the host or a GPU, chosen at run time
//! - [`Config`]: the batch size and a byte budget
//! - [`Error`] and [`BackendError`]: what can go wrong
//! - `wgpu`: a program's own wgpu device, shared (with the feature `wgpu`)
//!
//! # Should I use this?
//!
//! Yes, where many keys change at a time and order or memory on the GPU matters. No, where keys come one by one, where
//! a microsecond counts, for strings, or for transactions. Where lookups of single keys are all that is needed, a hash
//! table is faster.
//!
//! # What holds
//!
//! 1. An update is one batch of inserts and deletes of any size. It applies whole or not at all.
//! 2. A later batch wins over an earlier one.
//! 3. A batch is a sequence: of several operations on one key, the last wins.
//! 4. Where inserts and deletes are given apart, the deletes come after the inserts.
//! 5. Every key and every value of the type can be stored.
//! 6. Queries come in batches of any size and see exactly the batches that were applied before.
//! 7. A lookup returns the value or nothing; counts and ranges take inclusive bounds and are empty where the lower is
//!    above the upper; a range's keys ascend.
//! 8. The same calls give the same bytes on every device. What has no value is zero.
//! 9. A failed call is a typed error and leaves the dictionary as it was; a lost device is an error of its own.
//!
//! # Choosing the batch size
//!
//! The batch size `b` is the size of the smallest level, not a limit: batches may be shorter and longer. The default,
//! 65,536, suits batches of some thousands to some millions of operations.
//!
//! - Set it near the size that your batches usually have. Then a batch becomes a level without a merge every second
//!   time, and the number of levels, which each lookup passes through, is about `log2(n / b)`.
//! - A larger `b` means fewer levels and so faster lookups, and slower updates by batches that are smaller than it: each
//!   of them is merged with up to `b` entries.
//! - A smaller `b` means cheaper small updates, more levels and slower lookups.
//! - Up to `4 b` entries may be stale whatever is live: see [`Dictionary::bytes_for`].
//!
//! **Very small batches** cost nearly as much as a batch of some thousands: a fixed price for the kernels of a sort and
//! for one wait, and a merge with what stands on level 0. Collect operations in a [`Batch`] and apply them together; the
//! result is the same.
//!
//! # Limits
//!
//! A run has at most 2^32 - 1 entries, on a GPU a little less, and must fit the largest buffer of the device:
//! [`Device::limits`] says how many entries that is. A batch above it is refused before anything is allocated; an update
//! whose merged run would be above it is refused when that is counted. Past that, keep several dictionaries, each with a
//! range of the keys.
//!
//! # Features
//!
//! `wgpu` (default): Vulkan, Metal and DirectX 12 through WGSL. `vulkan`: Vulkan through SPIR-V. `metal`: Metal through
//! MSL. `cuda` and `hip`: NVIDIA's and AMD's own runtimes. Without default features no GPU engine is compiled, and the
//! host remains.

#![forbid(unsafe_code)]

mod backed;
mod batch;
mod buffer;
mod column;
mod config;
mod core;
mod count;
mod dead;
mod device;
mod dictionary;
mod error;
mod first;
mod frugal;
mod hits;
mod intervals;
mod key;
mod levels;
mod lists;
mod lookup;
mod merge;
mod morton;
mod neighbour;
mod on_device;
mod operations;
mod pieces;
mod placement;
mod prepare;
mod queries;
mod range;
mod rectangles;
mod runs;
mod scan;
mod seek;
mod selftest;
mod snapshot;
mod statistics;
mod tally;
mod update;
mod verify;
#[cfg(feature = "wgpu")]
pub mod wgpu;

pub use batch::Batch;
pub use buffer::Buffer;
pub use column::{Keys, Values};
pub use config::{Config, Footprint, Need};
pub use device::{Device, DeviceInfo, Limits};
pub use dictionary::Dictionary;
pub use error::{BackendError, Error, Result};
#[doc(hidden)]
pub use gpu_lsm_primitives::Columns;
pub use gpu_lsm_primitives::Value;
pub use key::Key;
#[doc(hidden)]
pub use levels::RunId;
pub use lookup::Answers;
pub use morton::Morton;
pub use neighbour::Neighbours;
pub use on_device::{DeviceAnswers, DeviceNeighbours, DeviceRanges, OnDevice};
pub use range::Ranges;
#[doc(hidden)]
pub use runs::RunInfo;
pub use scan::Scan;
pub use selftest::Progress;
pub use snapshot::Snapshot;
pub use statistics::{LevelStatistics, Statistics, Traffic};

/// The README's example compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
