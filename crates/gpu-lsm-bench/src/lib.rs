//! The evaluation of gpu-lsm: every table and figure of the paper, and some beyond, on any device.
//!
//! - [`record`]: what is written down. An experiment leaves [`Record`](record::sample::Record)s, one for each sample; what they
//!   come to is [`Kept`](record::kept::Kept). Also the runs that samples are of, and the machine.
//! - [`measure`]: structures, the clock that they run under, workloads, and the experiments.
//! - [`report`]: tables, plots and documents, made from what is kept alone.
//! - [`command`]: what `gpu-lsm bench` does with all that.
//!
//! Each knows only those above it in this list.

#![forbid(unsafe_code)]

pub mod command;
pub mod error;
pub mod measure;
pub mod record;
pub mod report;

pub use error::{Error, Result};
