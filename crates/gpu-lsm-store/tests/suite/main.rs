//! The tests of stores, in one program.

#![allow(clippy::unwrap_used, reason = "an error is a failure of the test")]

mod bytes_written;
mod corpus;
mod crash;
mod damage;
mod durable;
mod faults;
mod folder;
#[cfg(target_os = "linux")]
mod forgetful;
mod format;
mod golden;
mod life;
mod meddled;
mod memory;
mod model;
mod named;
mod openings;
mod other_tools;
mod places;
mod replaced;
mod rows;
mod same;
mod save;
#[cfg(any(feature = "aws", feature = "azure"))]
mod secrets;
mod sharded;
mod simulation;
mod site;
mod table;
mod takeovers;
mod void;
mod words;

use folder::folder;
