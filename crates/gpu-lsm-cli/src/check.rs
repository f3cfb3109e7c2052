//! `gpu-lsm check`: the device's self-test, with a progress bar and a verdict in one line.

use crate::bar::{Lines, bar};
use crate::output::{name, say};
use gpu_lsm::{Device, Error};
use std::time::Instant;

/// A self-test that has ended.
pub(crate) struct SelfTest {
    /// How many checks there are.
    pub(crate) checks: usize,
    /// How long they took.
    pub(crate) seconds: f64,
    /// The first failure.
    pub(crate) result: Result<(), Error>,
}

pub(crate) fn run(device: &str) -> Result<(), Error> {
    let device: Device = device.parse()?;
    name(&device);
    let SelfTest { checks, seconds, result } = self_test(&device);
    let name = device.name();
    match &result {
        Ok(()) => say!("{name} can be trusted: {checks} of {checks} checks passed in {seconds:.1} s"),
        Err(_) => say!("{name} can NOT be trusted"),
    }
    result
}

/// Runs the self-test, with a progress bar on a terminal, and a line now and then elsewhere.
pub(crate) fn self_test(device: &Device) -> SelfTest {
    let started = Instant::now();
    let bar = bar("{bar:30} {pos}/{len} {elapsed} {msg}");
    let (mut checks, mut lines) = (0, Lines::new());
    let result = device.self_test(|progress| {
        checks = progress.total;
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
        bar.set_message(progress.step);
        if bar.is_hidden() && lines.is_due() {
            lines.say("self-test", progress.done as u64, progress.total as u64);
        }
    });
    bar.finish_and_clear();
    SelfTest { checks, seconds: started.elapsed().as_secs_f64(), result }
}
