//! The evaluation of gpu-lsm: every table and figure of the paper, and some beyond, on any device.
//!
//! A [`Structure`](structure::Structure) is what is measured; an [`Experiment`](experiment::Experiment) measures it and
//! leaves [`Record`](record::Record)s, one for each sample. What they come to is [`Kept`](kept::Kept); tables and plots are
//! made from that alone.

#![forbid(unsafe_code)]

mod axis;
pub mod baseline;
pub mod bench;
pub mod contender;
pub mod copy;
pub mod error;
pub mod experiment;
pub mod gate;
pub mod kept;
pub mod lock;
pub mod machine;
pub mod markdown;
pub mod ours;
pub mod paper;
pub mod plot;
pub mod plots;
pub mod ratios;
pub mod record;
pub mod reference;
pub mod report;
mod reproduce;
#[cfg(feature = "rivals")]
pub mod rivals;
pub mod run;
pub mod sampling;
pub mod session;
pub mod sort;
pub mod statistics;
pub mod structure;
pub mod summary;
pub mod table;
pub mod tables;
pub mod temporary;
pub mod workload;

pub use error::{Error, Result};
