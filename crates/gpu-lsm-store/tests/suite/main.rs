//! The tests of stores, in one program.

#![allow(clippy::unwrap_used, reason = "an error is a failure of the test")]

mod bytes_written;
mod corpus;
mod crash;
mod damage;
mod durable;
mod faults;
#[cfg(target_os = "linux")]
mod forgetful;
mod format;
mod golden;
mod life;
mod memory;
mod model;
mod named;
mod other_tools;
mod places;
mod same;
mod save;
#[cfg(any(feature = "aws", feature = "azure"))]
mod secrets;
mod sharded;
mod simulation;
mod site;
mod table;

use std::path::PathBuf;

/// An empty folder for a test of this name.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gpu-lsm-store-{}-{name}", std::process::id()));
    drop(std::fs::remove_dir_all(&folder));
    folder
}
