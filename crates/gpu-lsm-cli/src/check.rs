//! `gpu-lsm check`: the device's self-test, with a progress bar and a verdict in one line.

use crate::bar::bar;
use crate::output::{name, say};
use gpu_lsm::{Device, Error};
use std::time::Instant;

pub(crate) fn run(device: &str) -> Result<(), Error> {
    let device: Device = device.parse()?;
    name(&device);
    let started = Instant::now();
    let bar = bar("{bar:30} {pos}/{len} {elapsed} {msg}");
    let mut steps = 0;
    let result = device.self_test(|progress| {
        steps = progress.total;
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
        bar.set_message(progress.step);
    });
    bar.finish_and_clear();
    match &result {
        Ok(()) => say!(
            "{} can be trusted: {steps} of {steps} checks passed in {:.1} s",
            device.name(),
            started.elapsed().as_secs_f64()
        ),
        Err(_) => say!("{} can NOT be trusted", device.name()),
    }
    result
}
