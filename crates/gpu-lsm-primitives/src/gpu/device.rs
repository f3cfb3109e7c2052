//! A device in use, and what all backends on it share.

use super::binding::Binding;
use super::hook::Hook;
use super::shape::Shape;
use crate::meter::Meter;
use cubecl::future::block_on;
use cubecl::prelude::Client;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

/// A GPU, or a driver that stands in for one.
#[derive(Clone)]
pub struct Gpu {
    device: Arc<OpenDevice>,
    meter: Arc<Meter>,
}

/// What all backends on one device share.
pub(super) struct OpenDevice {
    pub(super) device: cubecl::Device,
    pub(super) client: Client,
    pub(super) name: String,
    pub(super) shape: Shape,
    /// In place of every buffer that a kernel may do without: bound with length 0, so no kernel touches it.
    pub(super) nothing: Binding,
    pub(super) hooks: Vec<Box<dyn Hook>>,
    /// Why the device is lost, once it is known to be.
    pub(super) lost: OnceLock<String>,
}

impl Drop for OpenDevice {
    /// Waits for the work that is left: a program may be about to end, and there are drivers that crash where it does
    /// while they work.
    fn drop(&mut self) {
        if self.lost.get().is_none() {
            // A failure here is of work whose results nobody has read or will read.
            let _ = catch_unwind(AssertUnwindSafe(|| block_on(self.client.sync())));
        }
    }
}

impl Gpu {
    pub(super) fn new(device: OpenDevice, meter: Arc<Meter>) -> Self {
        Self { device: Arc::new(device), meter }
    }

    /// The same device with an account of its own.
    pub fn with_meter(&self, meter: Arc<Meter>) -> Self {
        Self { device: Arc::clone(&self.device), meter }
    }

    /// The device's name, as its driver gives it.
    pub fn name(&self) -> &str {
        &self.device.name
    }

    /// The engine's runtime, with how it compiles kernels: for instance `wgpu<wgsl>`.
    pub fn runtime(&self) -> &'static str {
        self.client().name()
    }

    /// Whether arrays of one are arrays of the other.
    pub fn is_same_device(&self, other: &Self) -> bool {
        self.device.device == other.device.device
    }

    /// The smallest and the largest number of units that run in step.
    pub fn plane_sizes(&self) -> (u32, u32) {
        let hardware = &self.client().properties().hardware;
        (hardware.plane_size_min, hardware.plane_size_max)
    }

    /// Why the device is lost, once it is known to be.
    pub(super) fn loss(&self) -> &OnceLock<String> {
        &self.device.lost
    }

    pub(super) fn client(&self) -> &Client {
        &self.device.client
    }

    /// How launches are laid out.
    pub(super) fn shape(&self) -> Shape {
        self.device.shape
    }

    /// Who is told of launches.
    pub(super) fn hooks(&self) -> &[Box<dyn Hook>] {
        &self.device.hooks
    }

    /// A buffer of length 0, in place of one that a kernel may do without.
    pub(super) fn nothing(&self) -> Binding {
        self.device.nothing.clone()
    }

    pub(super) fn account(&self) -> &Arc<Meter> {
        &self.meter
    }
}
