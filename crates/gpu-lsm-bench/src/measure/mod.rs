//! The structures, the clock, the workloads, and the experiments.

pub mod adapters;
pub mod clock;
pub mod contender;
pub mod copy;
pub mod experiments;
pub mod progress;
pub mod reference;
pub mod sampling;
pub mod scale;
pub mod session;
pub mod sort;
pub mod structure;
pub mod workload;
