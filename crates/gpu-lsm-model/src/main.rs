//! `gpu-lsm-soak MINUTES [DEVICE]`: runs lives with ever new seeds on a device and compares each with the model.

use gpu_lsm::Device;
use gpu_lsm_model::{Progress, soak};
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

/// How often it prints its progress.
const REPORT_EVERY: Duration = Duration::from_secs(30);

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let minutes: f64 = arguments.next().ok_or("gpu-lsm-soak MINUTES [DEVICE]")?.parse()?;
    let device: Device = arguments.next().as_deref().unwrap_or("host").parse()?;
    let seed = u64::from(rand::random::<u32>());
    println!("on {}, seeds from {seed}", device.name());
    let mut next_report = REPORT_EVERY;
    let time = Duration::try_from_secs_f64(minutes * 60.0)?;
    let progress = soak(&device, seed, time, |progress| {
        if progress.elapsed >= next_report {
            print(progress);
            next_report = progress.elapsed + REPORT_EVERY;
        }
    });
    print(&progress);
    Ok(if progress.mismatches == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(progress: &Progress) {
    let Progress { elapsed, lives, operations, mismatches } = progress;
    println!(
        "{:6.0} s: {operations} operations in {lives} lives, {mismatches} mismatches",
        elapsed.as_secs_f64()
    );
}
