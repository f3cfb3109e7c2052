//! The `gpu-lsm` command: lists devices, checks them and measures on them.

#![forbid(unsafe_code)]

mod bar;
#[cfg(feature = "bench")]
mod bench;
mod check;
mod devices;

use clap::{Parser, Subcommand};
use std::error::Error;
use std::process::ExitCode;

/// An ordered dictionary that lives on the GPU.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the host and the GPUs with their drivers and limits.
    Devices,
    /// Check that a device computes what the host computes, and say whether it can be trusted.
    Check {
        /// auto, host, gpu, gpu:N, or part of a GPU's name.
        #[arg(long, default_value = "auto")]
        device: String,
    },
    /// Measure the dictionary and others beside it: every table and figure of the paper, and some beyond.
    #[cfg(feature = "bench")]
    Bench(bench::Arguments),
}

fn main() -> ExitCode {
    let result: Result<(), Box<dyn Error>> = match Arguments::parse().command {
        Command::Devices => {
            devices::print();
            Ok(())
        }
        Command::Check { device } => check::run(&device).map_err(Into::into),
        #[cfg(feature = "bench")]
        Command::Bench(arguments) => bench::run(&arguments).map_err(Into::into),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gpu-lsm: {error}");
            ExitCode::FAILURE
        }
    }
}
