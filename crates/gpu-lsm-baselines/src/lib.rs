//! Other dictionaries to measure `gpu-lsm` against: on the same device, with the same primitives and launches.
//!
//! - [`PaperLsm`]: the algorithm of the paper (Ashkiani et al., *GPU LSM: A Dynamic Dictionary Data Structure for the
//!   GPU*, 2018), to the letter.
//! - [`SortedArray`]: the paper's GPU SA, one sorted array that each batch is merged into.
//! - [`CuckooHash`]: the paper's hash table, built in bulk, 80 % full.
//!
//! Keys have 31 bits: an update or a build must not get a key above [`LARGEST_KEY`]. A query may; it finds nothing.
//! Values have 32 bits. Input and output are arrays on the device. Only calls that say so wait for the device, so a
//! failure may show in a later call that waits. If an update fails, the state of the dictionary is undefined.

mod cuckoo_hash;
mod error;
mod paper_lsm;
mod query;
mod sorted_array;
mod update;

pub use cuckoo_hash::CuckooHash;
pub use error::{Error, Result};
pub use gpu_lsm_primitives::Answers;
pub use gpu_lsm_primitives::baselines::{Baselines, LARGEST_KEY};
pub use paper_lsm::PaperLsm;
pub use query::Ranges;
pub use sorted_array::SortedArray;
