//! Adapters for everything that is measured, each a [`Structure`](crate::measure::structure::Structure).

pub mod baseline;
pub mod hash_map;
pub mod ours;
#[cfg(feature = "rivals")]
pub mod rivals;
pub mod shards;
