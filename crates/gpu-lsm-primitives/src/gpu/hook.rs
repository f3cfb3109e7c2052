//! Hooks are told of every launch. They are registered when a device is opened.

use super::binding::Binding;
use super::table::{Buffer, Instance};
use crate::error::Result;

/// Sees every launch on a device before the engine does, and may run it instead of the engine.
pub trait Hook: Send + Sync {
    /// Called once per launch, in each thread's order of launches. Returns who runs the launch.
    ///
    /// # Errors
    /// The launch fails with the error.
    fn launch(&self, launch: &Launched<'_>, memory: &dyn Memory) -> Result<Runner>;
}

/// Who runs a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// The next hook or, after the last one, the engine.
    Next,
    /// This hook has already run it.
    Hook,
}

/// A launch that is about to happen.
pub struct Launched<'a> {
    /// The kernel.
    pub kernel: &'a dyn Instance,
    /// The number of cubes in a row of the grid, and the number of rows.
    pub grid: (u32, u32),
    /// The number of units in a cube.
    pub cube: u32,
    /// The bound buffers, in the order of [`Instance::buffers`].
    pub bindings: &'a [&'a Binding],
    /// The numbers, in the order of [`Instance::numbers`].
    pub numbers: &'a [u32],
}

impl Launched<'_> {
    /// The declared buffers, each with the bound one.
    pub fn buffers(&self) -> impl Iterator<Item = (&'static Buffer, &Binding)> {
        self.kernel.buffers().iter().zip(self.bindings.iter().copied())
    }
}

/// A device's memory, for hooks.
pub trait Memory {
    /// The bytes of a buffer as a kernel would see them. Waits for the device.
    ///
    /// # Errors
    /// If the work that should have written them failed.
    fn read(&self, binding: &Binding) -> Result<Vec<u8>>;

    /// Overwrites the bytes of a buffer. Does not wait.
    ///
    /// # Errors
    /// If the device fails.
    fn write(&self, binding: &Binding, bytes: Vec<u8>) -> Result<()>;
}
