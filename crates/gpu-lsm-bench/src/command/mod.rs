//! The commands of `gpu-lsm bench`: experiments on a device, repeated experiments, and the gate.

pub mod bench;
pub mod gate;
pub mod repeated;
