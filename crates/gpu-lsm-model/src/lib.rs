//! A model of the dictionary: it gets every update that the dictionary gets, and both must give the same answers.
//!
//! - [`Pair`] is a dictionary beside its model, with a check for each query.
//! - [`feed_back`] passes results that are on the device to further calls.
//! - `Kind::live` runs a random life of a pair, named by a seed.
//! - `soak` runs as many lives as the time allows.
//! - `scripts` are those of `testdata`, with the feature of this name.

#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "an error is a failure of the test that asks, and a check panics where it finds a difference"
)]

mod chain;
mod keys;
#[cfg(feature = "lives")]
mod life;
mod operations;
mod pair;
#[cfg(feature = "scripts")]
mod script;
#[cfg(feature = "lives")]
mod soak;

pub use chain::{Chain, Feed, Found, feed_back};
pub use keys::{Layout, TestKey, TestValue, spread};
#[cfg(feature = "lives")]
pub use life::{KINDS, Kind, kind};
pub use operations::{Operation, batch, columns, laid_out_operations, random_operations, rng};
pub use pair::{Held, Pair, codes};
#[cfg(feature = "scripts")]
pub use script::{interval, number, numbers, scripts};
#[cfg(feature = "lives")]
pub use soak::{Progress, soak};
