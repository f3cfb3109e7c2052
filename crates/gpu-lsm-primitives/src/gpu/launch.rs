//! The one way to the engine: every launch, every wait, every failure passes here.

use super::registry::{Kernel, Launch, enqueue};
use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::tuning::UNITS;
use cubecl::prelude::{Client, CubeCount};
use cubecl::server::{Handle, ServerError};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

/// Buffers that a kernel may bind on every device, less the engine's own one.
const MAX_BUFFERS: usize = 7;

/// A GPU, or a driver that stands in for one.
#[derive(Clone)]
pub struct Gpu {
    device: Arc<OpenDevice>,
    meter: Arc<Meter>,
}

/// What all backends on one device share.
struct OpenDevice {
    client: Client,
    name: String,
    lost: OnceLock<String>,
}

impl Gpu {
    /// Takes a device of the engine into use.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] where the engine can't open it.
    pub fn open(device: &cubecl::Device, meter: Arc<Meter>) -> Result<Self> {
        let client = catch_unwind(AssertUnwindSafe(|| device.client()))
            .map_err(|panic| Error::DeviceLost { reason: panic_text(panic.as_ref()) })?;
        let name = client.properties().identity.name.clone();
        let device = Arc::new(OpenDevice { client, name, lost: OnceLock::new() });
        Ok(Self { device, meter })
    }

    /// The same device with an account of its own.
    pub fn with_meter(&self, meter: Arc<Meter>) -> Self {
        Self { device: Arc::clone(&self.device), meter }
    }

    /// The device's name, as its driver gives it.
    pub fn name(&self) -> &str {
        &self.device.name
    }

    /// The engine's client.
    pub fn client(&self) -> &Client {
        &self.device.client
    }

    pub(super) fn account(&self) -> &Arc<Meter> {
        &self.meter
    }

    /// Calls the engine; a panic of the device's thread, then or before, is the loss of the device.
    pub(super) fn guarded<R>(&self, call: impl FnOnce() -> R) -> Result<R> {
        if let Some(reason) = self.device.lost.get() {
            return Err(Error::DeviceLost { reason: reason.clone() });
        }
        catch_unwind(AssertUnwindSafe(call)).map_err(|panic| self.lose(panic_text(panic.as_ref())))
    }

    /// Launches a kernel. Does not wait.
    pub(super) fn launch(&self, launch: &Launch) -> Result<()> {
        if launch.units == 0 {
            return Ok(());
        }
        self.check_fuse()?;
        self.check_limits(launch)?;
        let grid = self.fold(launch)?;
        self.guarded(|| enqueue(self.client(), launch, grid))
    }

    /// Waits until all work is done, and makes sure that none of it failed to write `memory`.
    pub(super) fn confirm(&self, memory: &[&Handle]) -> Result<()> {
        self.check_fuse()?;
        let memory = memory.iter().copied();
        self.guarded(|| cubecl::future::block_on(self.client().sync_buffers(memory)))?
            .map_err(|error| self.engine_error(&error))
    }

    /// What a failure of the engine means for the caller.
    pub(super) fn engine_error(&self, error: &ServerError) -> Error {
        match error {
            ServerError::DevicePoisoned(poison) => self.lose(poison.to_string()),
            ServerError::Unwritten { root, .. } => self.engine_error(root),
            ServerError::Io(cubecl::server::IoError::BufferTooBig { size, .. }) => {
                Error::OutOfMemory { bytes: *size }
            }
            other => Error::Failed { message: other.to_string() },
        }
    }

    fn lose(&self, reason: String) -> Error {
        let reason = self.device.lost.get_or_init(|| reason).clone();
        Error::DeviceLost { reason }
    }

    /// Fails where a test asked for it.
    pub(super) fn check_fuse(&self) -> Result<()> {
        let fuse = self.meter.fuse();
        if !fuse.burns() {
            return Ok(());
        }
        let message = "injected by a test".to_owned();
        Err(if fuse.loses_device() { self.lose(message) } else { Error::Failed { message } })
    }

    fn check_limits(&self, launch: &Launch) -> Result<()> {
        let hardware = &self.client().properties().hardware;
        let shared = launch.kernel.shared_bytes();
        debug_assert!(launch.buffers.len() <= MAX_BUFFERS);
        if launch.buffers.len() + 1 > hardware.max_bindings as usize {
            return Err(self.unsupported(launch.kernel, "buffers", launch.buffers.len() + 1));
        }
        if UNITS > hardware.max_units_per_cube.min(hardware.max_cube_dim.0) {
            return Err(self.unsupported(launch.kernel, "units in a cube", UNITS as usize));
        }
        if shared > hardware.max_shared_memory_size {
            return Err(self.unsupported(launch.kernel, "bytes of shared memory", shared));
        }
        Ok(())
    }

    fn unsupported(&self, kernel: Kernel, what: &str, number: usize) -> Error {
        Error::Unsupported {
            what: format!("{number} {what}, which kernel {kernel:?} needs"),
            device: self.name().to_owned(),
        }
    }

    /// A grid with a cube for every so many units, and few more, within what each dimension may have.
    fn fold(&self, launch: &Launch) -> Result<CubeCount> {
        let cubes = launch.units.div_ceil(UNITS as usize);
        let (max_x, max_y, _) = self.client().properties().hardware.max_cube_count;
        let y = cubes.div_ceil(max_x as usize);
        if y > max_y as usize {
            return Err(self.unsupported(launch.kernel, "cubes in a grid", cubes));
        }
        Ok(CubeCount::Static(cubes.div_ceil(y) as u32, y as u32, 1))
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("the engine panicked").to_owned()
}
