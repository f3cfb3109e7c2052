//! The evaluation of gpu-lsm: every table and figure of the paper, and some beyond, on any device.
//!
//! - [`record`]: samples and their summaries. An experiment writes one [`Record`](record::sample::Record) per sample;
//!   [`Kept`](record::kept::Kept) summarizes them. Also the runs that the samples belong to, and the machine.
//! - [`measure`]: structures, the clock that times them, workloads, and the experiments.
//! - [`report`]: tables, plots and documents, made from the summaries alone.
//! - [`compare`]: a few rows on this machine, and a verdict.
//! - [`command`]: the commands of `gpu-lsm bench`.
//!
//! Each module depends only on those above it in this list.

#![forbid(unsafe_code)]

pub mod command;
pub mod compare;
pub mod error;
pub mod measure;
pub mod record;
pub mod report;

pub use error::{Error, Result};
