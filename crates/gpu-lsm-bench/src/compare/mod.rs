//! `gpu-lsm compare`: a few rows that tell what to use on this machine. Every device beside the maps that people use
//! without one.
//!
//! - [`row`]: what is measured, in which unit.
//! - [`comparison`]: what was measured, of whom, and where; what is shared.
//! - [`run`]: the measurement.
//! - [`verdict`], [`text`], [`markdown`], [`picture`], [`community`]: what is made of it.

pub mod community;
pub mod comparison;
pub mod markdown;
pub mod picture;
pub mod row;
pub mod run;
pub mod text;
pub mod verdict;
