//! The `gpu-lsm` command: lists devices, examines and checks them, measures on them, and looks after stores.

#![deny(unsafe_code)]

mod bar;
#[cfg(feature = "bench")]
mod bench;
mod check;
#[cfg(feature = "bench")]
mod compare;
mod devices;
mod doctor;
mod features;
#[cfg(feature = "bench")]
mod minutes;
mod output;
#[cfg(feature = "store")]
mod store;

use clap::{Parser, Subcommand};
use features::version;
use std::error::Error;
use std::process::ExitCode;

/// An ordered dictionary that lives on the GPU.
#[derive(Parser)]
#[command(version = version(), about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the host and the GPUs with their drivers and limits.
    Devices {
        /// Print a list in JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check that a device computes what the host computes, and say whether it can be trusted.
    Check {
        /// auto, host, gpu, gpu:N, an API (vulkan, metal, dx12, cuda, hip), or part of a GPU's name.
        #[arg(long, default_value = "auto")]
        device: String,
    },
    /// Say what there is, whether it works, and if there is no GPU, why.
    Doctor(doctor::Arguments),
    /// Compare this machine's devices with maps on the processor, in about three minutes: bars, and what to use for what.
    #[cfg(feature = "bench")]
    Compare(compare::Arguments),
    /// Measure the dictionary and others beside it: every table and figure of the paper, and some beyond.
    #[cfg(feature = "bench")]
    Bench(bench::Arguments),
    /// Look at a store, check it, clean it up, and bring entries in and out as Parquet.
    #[cfg(feature = "store")]
    #[command(subcommand)]
    Store(store::Command),
}

/// Keeps Mesa's layer that selects devices from looking for a display, and from complaining if there is none.
fn quieten_drivers() {
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        #[expect(unsafe_code, reason = "there is no other way to tell the driver")]
        // SAFETY: no other thread exists yet.
        unsafe {
            std::env::set_var("NODEVICE_SELECT", "1");
        };
    }
}

fn main() -> ExitCode {
    quieten_drivers();
    let result: Result<(), Box<dyn Error>> = match Arguments::parse().command {
        Command::Devices { json } => {
            devices::print(json);
            Ok(())
        }
        Command::Check { device } => check::run(&device).map_err(Into::into),
        Command::Doctor(arguments) => doctor::run(&arguments).map_err(Into::into),
        #[cfg(feature = "bench")]
        Command::Compare(arguments) => compare::run(&arguments).map_err(Into::into),
        #[cfg(feature = "bench")]
        Command::Bench(arguments) => bench::run(&arguments).map_err(Into::into),
        #[cfg(feature = "store")]
        Command::Store(command) => store::run(&command),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::remark!("gpu-lsm: {error}");
            ExitCode::FAILURE
        }
    }
}
