//! An ordered dictionary that lives on the GPU.
//!
//! The dictionary is a list of sorted arrays of doubling sizes. Updates come in batches, which are sorted and merged
//! into these arrays; queries come in batches of up to millions. This is the structure of "GPU LSM: A Dynamic
//! Dictionary Data Structure for the GPU" (Ashkiani et al., 2018), on GPUs of every vendor and on machines without one.
//! The same calls give the same bytes on the host and on every GPU.
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
//! - [`Dictionary`]: create, build, insert, delete, update, apply mixed operations, delete ranges, clear, clean up, take
//!   snapshots, fork
//! - [`Snapshot`], and therefore every dictionary: lookup, get, contains, count, range, the first entries of a range,
//!   successor, predecessor, first, last, rectangles of points, scan, iter, len, statistics, verify
//! - [`OnDevice`]: the same queries with their results left on the device; [`Buffer`]: data on the device
//! - [`Sharded`]: the same in range shards, past one buffer and on several devices; [`Sharding`], [`ShardedSnapshot`]
//! - [`Batch`]: mixed operations in order
//! - [`Key`]: the types that can be keys; [`Morton`]: points as keys, with rectangle queries
//! - [`Device`]: the host or a GPU, chosen at run time
//! - [`Value`]: the types that can be values; [`value!`]: your own among them
//! - [`Config`]: the batch size and a byte budget
//! - [`Error`] and [`BackendError`]: what can go wrong
//! - `interop`: devices and memory that a dictionary shares with wgpu, CubeCL or Burn in your program (with a GPU
//!   engine)
//!
//! # Should I use this?
//!
//! Yes, if many keys change at a time and you need them in order or on the GPU. No, if keys come one by one, if every
//! microsecond matters, or if you need strings or transactions. If you only look up single keys, a hash table is
//! simpler, and mostly faster.
//!
//! # Guarantees
//!
//! 1. An update is one batch of inserts and deletes of any size. It is applied completely or not at all.
//! 2. A later batch wins over an earlier one.
//! 3. A batch is a sequence: if it has several operations on one key, the last wins.
//! 4. If inserts and deletes are given separately, the deletes come after the inserts.
//! 5. Every key and every value of the type can be stored.
//! 6. Queries come in batches of any size and see exactly the batches that were applied before them.
//! 7. A lookup returns the value or nothing. Counts and ranges take inclusive bounds; an interval whose lower bound is
//!    above its upper bound is empty. A range returns its keys in ascending order.
//! 8. The same calls give the same bytes on every device. An answer without a value has the value zero.
//! 9. A failed call returns a typed error and leaves the dictionary as it was. A lost device has an error of its own.
//!
//! # Choosing the batch size
//!
//! The batch size `b` is the capacity of the smallest level. It is not a limit: batches may be smaller or larger. The
//! default, 65,536, suits batches of thousands to millions of operations.
//!
//! - Set it near the usual size of your batches. Then every second batch becomes a level without a merge, and the
//!   number of levels, which every lookup passes through, is about `log2(n / b)`.
//! - A larger `b` means fewer levels and therefore faster lookups. Batches smaller than `b` get slower, because each is
//!   merged with up to `b` entries.
//! - A smaller `b` makes small updates cheaper, but means more levels and slower lookups.
//! - If all batches are larger than `b`, their size and not `b` decides how many levels and merges there are.
//! - However few entries are live, up to `4 b` may be stale: see [`Dictionary::bytes_for`].
//!
//! **Very small batches** cost nearly as much as a batch of several thousand operations: each pays for the kernels of a
//! sort, for one wait, and for a merge with the run on level 0. Collect operations in a [`Batch`] and apply them
//! together; the result is the same.
//!
//! # Limits
//!
//! A run has at most 2^32 - 1 entries (slightly fewer on a GPU) and must fit the device's largest buffer;
//! [`Device::limits`] gives the resulting number of entries. A larger batch is refused before anything is allocated. An
//! update whose merged run would be larger is refused once its entries are counted. Beyond this limit, use
//! [`Sharded`], which has the same methods.
//!
//! # Features
//!
//! `wgpu` (default): Vulkan, Metal and DirectX 12 through WGSL. `vulkan`: Vulkan through SPIR-V. `metal`: Metal through
//! MSL. `cuda` and `hip`: NVIDIA's and AMD's own runtimes. Without default features no GPU engine is compiled and only
//! the host is available.

#![forbid(unsafe_code)]

mod backed;
mod batch;
mod buffer;
mod choice;
mod column;
mod config;
mod core;
mod count;
mod cut;
mod dead;
mod device;
mod device_results;
mod dictionary;
mod each;
mod error;
mod first;
mod fork;
mod frugal;
mod hits;
#[cfg(feature = "gpu")]
pub mod interop;
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
mod set;
mod sharded;
mod single;
mod snapshot;
mod statistics;
mod tally;
mod update;
mod verify;

pub use batch::Batch;
pub use buffer::Buffer;
pub use column::{Keys, Values};
pub use config::{Config, Footprint, Need};
pub use device::{Device, DeviceInfo, Limits};
pub use device_results::{DeviceAnswers, DeviceNeighbours, DeviceRanges};
pub use dictionary::Dictionary;
pub use each::Each;
pub use error::{BackendError, Error, Result};
#[doc(hidden)]
pub use gpu_lsm_primitives::Columns;
pub use gpu_lsm_primitives::{Traffic, Value, value};
pub use key::Key;
#[doc(hidden)]
pub use levels::RunId;
pub use lookup::Answers;
pub use morton::Morton;
pub use neighbour::Neighbours;
pub use on_device::OnDevice;
pub use range::Ranges;
#[doc(hidden)]
pub use runs::RunInfo;
pub use scan::{Iter, Scan};
pub use selftest::Progress;
#[doc(hidden)]
pub use sharded::ShardRuns;
pub use sharded::{
    ShardStatistics, Sharded, ShardedIter, ShardedScan, ShardedSnapshot, ShardedStatistics, Sharding,
};
pub use snapshot::Snapshot;
pub use statistics::{LevelStatistics, Statistics};

/// Compiles and runs the code of the guides.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../../docs/tutorial.md")]
    struct Tutorial;
    #[doc = include_str!("../../../docs/device-data.md")]
    struct DeviceData;
    #[doc = include_str!("../../../docs/devices.md")]
    struct Devices;
    #[doc = include_str!("../../../docs/shards.md")]
    struct Shards;
}

/// Compiles and runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
