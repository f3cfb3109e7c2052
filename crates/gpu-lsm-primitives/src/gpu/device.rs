//! An open device, and what all backends on it share.

use super::binding::Binding;
use super::hook::Hook;
use super::shape::Shape;
use crate::meter::Meter;
use cubecl::future::block_on;
use cubecl::prelude::Client;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

/// A GPU, or a software driver that stands in for one.
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
    /// Bound in place of every absent optional buffer. Its length is 0, so no kernel touches it.
    pub(super) nothing: Binding,
    pub(super) hooks: Vec<Box<dyn Hook>>,
    /// The reason for the loss of the device, once it is known.
    pub(super) lost: Arc<OnceLock<String>>,
}

impl Drop for OpenDevice {
    /// Waits for the remaining work. The program may be about to end, and some drivers crash if it ends while they
    /// work.
    fn drop(&mut self) {
        if self.lost.get().is_none() {
            // A failure here concerns only work whose results nobody will read.
            let _ = catch_unwind(AssertUnwindSafe(|| block_on(self.client.sync())));
        }
    }
}

impl Gpu {
    pub(super) fn new(device: OpenDevice, meter: Arc<Meter>) -> Self {
        Self { device: Arc::new(device), meter }
    }

    /// The same device with a meter of its own.
    pub fn with_meter(&self, meter: Arc<Meter>) -> Self {
        Self { device: Arc::clone(&self.device), meter }
    }

    /// The device's name, as reported by its driver.
    pub fn name(&self) -> &str {
        &self.device.name
    }

    /// The engine's runtime and how it compiles kernels, for instance `wgpu<wgsl>`.
    pub fn runtime(&self) -> &'static str {
        self.client().name()
    }

    /// The device as the engine names it.
    pub fn engine_device(&self) -> &cubecl::Device {
        &self.device.device
    }

    /// Whether both are the same device, so that each can use the other's arrays.
    pub fn is_same_device(&self, other: &Self) -> bool {
        self.device.device == other.device.device
    }

    /// The smallest and the largest size of a plane.
    pub fn plane_sizes(&self) -> (u32, u32) {
        let hardware = &self.client().properties().hardware;
        (hardware.plane_size_min, hardware.plane_size_max)
    }

    /// The reason for the loss of the device, once it is known.
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

    /// The hooks that are told of launches.
    pub(super) fn hooks(&self) -> &[Box<dyn Hook>] {
        &self.device.hooks
    }

    /// A buffer of length 0, to bind in place of an absent optional one.
    pub(super) fn nothing(&self) -> Binding {
        self.device.nothing.clone()
    }

    pub(super) fn account(&self) -> &Arc<Meter> {
        &self.meter
    }
}
