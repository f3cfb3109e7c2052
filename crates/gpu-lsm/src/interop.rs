//! Devices and memory that a dictionary shares with the rest of a program. Nothing is copied between the two.
//!
//! - A program that uses wgpu makes its device by [`descriptor`] and shares it by [`share`] or [`share_with`];
//!   [`part`] is a buffer as wgpu sees it.
//! - A program that uses CubeCL, for instance through Burn, opens CubeCL's device by [`open`], or shares ours through
//!   [`engine_device`] and [`client`]; memory goes in by [`buffer`] and out by [`handle`].
//!
//! Only this module of the crate has types of other libraries in its interface. [`wgpu`] and [`cubecl`] are those
//! libraries, in the versions used here.

mod engine;
#[cfg(feature = "wgpu")]
mod sharing;

pub use engine::{buffer, client, cubecl, engine_device, handle, open};
#[cfg(feature = "wgpu")]
pub use sharing::{Callbacks, Part, descriptor, part, share, share_with, wgpu};
