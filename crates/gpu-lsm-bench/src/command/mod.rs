//! What `gpu-lsm bench` does: experiments on a device, several runs of them, and the gate.

pub mod bench;
pub mod gate;
pub mod repeated;
