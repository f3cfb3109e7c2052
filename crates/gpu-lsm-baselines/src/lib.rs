//! Other dictionaries, to be measured beside `gpu-lsm` on the same device, with the same primitives and launches.
//!
//! - [`PaperLsm`]: the algorithm of the paper (Ashkiani et al., *GPU LSM: A Dynamic Dictionary Data Structure for the
//!   GPU*, 2018), to the letter.
//! - [`SortedArray`]: the paper's GPU SA, one sorted array that each batch is merged into.
//! - [`CuckooHash`]: the paper's hash table, built in bulk, 80 % full.
//!
//! Keys have 31 bits: what an update or a build is given must not be above [`LARGEST_KEY`]. Queries may be; nothing is
//! found there. Values have 32 bits. Data comes and goes in arrays on the device; only calls that say so wait for it, so
//! a device's failure may show in a later call that does. After an error what an update has left is not defined.

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
