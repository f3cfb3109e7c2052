//! What is told of every launch, to whoever asked for it when the device was opened.

use super::binding::Binding;
use super::table::{Buffer, Instance};
use crate::error::Result;

/// Sees every launch on a device before the engine does, and may run it in the engine's place.
pub trait Hook: Send + Sync {
    /// Called once for each launch, in the order of launches of a thread. Says who runs it.
    ///
    /// # Errors
    /// Then the launch fails with it.
    fn launch(&self, launch: &Launched<'_>, memory: &dyn Memory) -> Result<Runner>;
}

/// Who runs a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// The next hook or, after the last, the engine.
    Next,
    /// The hook has run it.
    Hook,
}

/// A launch that is about to happen.
pub struct Launched<'a> {
    /// The kernel.
    pub kernel: &'a dyn Instance,
    /// The cubes in a row of the grid, and the rows.
    pub grid: (u32, u32),
    /// The units of a cube.
    pub cube: u32,
    /// What is bound, in the order of [`Instance::buffers`].
    pub bindings: &'a [&'a Binding],
    /// The numbers, in the order of [`Instance::numbers`].
    pub numbers: &'a [u32],
}

impl Launched<'_> {
    /// The buffers as declared, each with what is bound.
    pub fn buffers(&self) -> impl Iterator<Item = (&'static Buffer, &Binding)> {
        self.kernel.buffers().iter().zip(self.bindings.iter().copied())
    }
}

/// The memory of a device, for hooks.
pub trait Memory {
    /// The bytes that a kernel would see. Waits for the device.
    ///
    /// # Errors
    /// Where the work that was to write them failed.
    fn read(&self, binding: &Binding) -> Result<Vec<u8>>;

    /// Writes the bytes that a kernel would see. Does not wait.
    ///
    /// # Errors
    /// Where the device fails.
    fn write(&self, binding: &Binding, bytes: Vec<u8>) -> Result<()>;
}
