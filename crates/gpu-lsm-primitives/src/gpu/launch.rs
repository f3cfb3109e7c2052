//! The one way to the engine: every launch and every wait passes here.

use super::devices;
use super::failure::panic_text;
use super::moved;
use super::registry::{Kernel, Launch, enqueue};
use super::shape::Shape;
use crate::backend::DeviceClock;
use crate::error::{Error, Result};
use crate::key::KeyWidth;
use crate::meter::Meter;
use cubecl::future::block_on;
use cubecl::ir::{ElemType, UIntKind};
use cubecl::prelude::{Client, CubeCount};
use cubecl::profile::TimingMethod;
use cubecl::server::Handle;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

/// A GPU, or a driver that stands in for one.
#[derive(Clone)]
pub struct Gpu {
    device: Arc<OpenDevice>,
    meter: Arc<Meter>,
}

/// What all backends on one device share.
struct OpenDevice {
    device: cubecl::Device,
    client: Client,
    name: String,
    shape: Shape,
    lost: OnceLock<String>,
    #[cfg(feature = "proof")]
    elsewhere: Option<super::elsewhere::Elsewhere>,
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
    /// Takes a device of the engine into use.
    ///
    /// # Errors
    /// [`Error::CannotOpen`] where the engine can't open it, [`Error::Unsupported`] where its driver could not compile
    /// the kernels.
    pub fn open(device: &cubecl::Device, meter: Arc<Meter>) -> Result<Self> {
        devices::settle_engine();
        #[cfg(feature = "vulkan")]
        devices::check_compiler(device)?;
        let client =
            devices::alone(|| catch_unwind(AssertUnwindSafe(|| device.client()))).map_err(|panic| {
                Error::CannotOpen { device: format!("{device:?}"), reason: panic_text(panic.as_ref()) }
            })?;
        let name = client.properties().identity.name.clone();
        let shape = Shape::of(&client.properties().hardware);
        let device = Arc::new(OpenDevice {
            device: device.clone(),
            client,
            name,
            shape,
            lost: OnceLock::new(),
            #[cfg(feature = "proof")]
            elsewhere: super::elsewhere::Elsewhere::from_environment()?,
        });
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

    pub(super) fn account(&self) -> &Arc<Meter> {
        &self.meter
    }

    /// Launches a kernel. Does not wait.
    pub(super) fn launch(&self, launch: &Launch) -> Result<()> {
        if launch.units == 0 {
            return Ok(());
        }
        self.check_fuse()?;
        debug_assert_eq!(launch.buffers.len(), launch.kernel.buffers());
        self.check_needs(launch.kernel)?;
        let cubes = launch.units.div_ceil(self.shape().units as usize);
        let Some((width, height)) = self.shape().grid(cubes) else {
            return Err(self.unsupported(launch.kernel, "cubes in a grid", cubes));
        };
        self.meter.traffic().add_launch(moved::bytes(launch));
        #[cfg(feature = "proof")]
        super::proof::note_launch(launch.kernel)?;
        #[cfg(feature = "proof")]
        if let Some(elsewhere) = &self.device.elsewhere {
            return elsewhere.run(self, launch, (width, height));
        }
        let grid = CubeCount::Static(width, height, 1);
        self.guarded(|| enqueue(self.client(), launch, self.shape().units, grid))
    }

    /// Starts the engine's clock, where it counts the device's own time.
    pub(super) fn start_clock(&self) -> Option<DeviceClock> {
        let window = self.guarded(|| self.client().profile_start()).ok()?.ok()?;
        let gpu = self.clone();
        Some(Box::new(move || {
            let measured = gpu.guarded(|| gpu.client().profile_end(window)).ok()?.ok()?;
            if measured.timing_method() != TimingMethod::Device {
                return None;
            }
            block_on(measured.resolve()).map(|ticks| ticks.duration().as_secs_f64())
        }))
    }

    /// Waits until all work is done, and makes sure that none of it failed to write `memory`.
    pub(super) fn confirm(&self, memory: &[&Handle]) -> Result<()> {
        self.meter.traffic().add_wait();
        block_on(self.written(memory)?)
    }

    /// Asks whether all work is done and none of it failed to write `memory`; the answer comes when it is.
    pub(super) fn written(&self, memory: &[&Handle]) -> Result<impl Future<Output = Result<()>>> {
        self.check_fuse()?;
        let memory = memory.iter().copied();
        let written = self.guarded(|| self.client().sync_buffers(memory))?;
        Ok(async { self.guarded_future(written).await?.map_err(|error| self.engine_error(&error)) })
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

    /// Checks that the device offers what a kernel needs.
    pub(super) fn check_needs(&self, kernel: Kernel) -> Result<()> {
        kernel.key_width().map_or(Ok(()), |width| self.check_width(width))?;
        let hardware = &self.client().properties().hardware;
        if kernel.buffers() > hardware.max_bindings as usize {
            return Err(self.unsupported(kernel, "buffers", kernel.buffers()));
        }
        if self.shape().units < Shape::FEWEST_UNITS {
            return Err(self.unsupported(kernel, "units in a cube", Shape::FEWEST_UNITS as usize));
        }
        let shared_bytes = kernel.shared_bytes(self.shape().units);
        if shared_bytes > hardware.max_shared_memory_size {
            return Err(self.unsupported(kernel, "bytes of shared memory", shared_bytes));
        }
        Ok(())
    }

    /// Checks that the device has integers as wide as the keys.
    pub(super) fn check_width(&self, width: KeyWidth) -> Result<()> {
        let kind = match width {
            KeyWidth::U32 => UIntKind::U32,
            KeyWidth::U64 => UIntKind::U64,
        };
        if self.client().properties().supports_type(ElemType::UInt(kind)) {
            return Ok(());
        }
        Err(Error::Unsupported { what: format!("{}-bit keys", width.bits()), device: self.name().to_owned() })
    }

    fn unsupported(&self, kernel: Kernel, what: &str, number: usize) -> Error {
        Error::Unsupported {
            what: format!("{number} {what}, which kernel {kernel:?} needs"),
            device: self.name().to_owned(),
        }
    }
}

/// Polls two futures, both from the start, until both are done.
pub(super) async fn both<A, B>(first: impl Future<Output = A>, second: impl Future<Output = B>) -> (A, B) {
    let (mut first, mut second) = (pin!(first), pin!(second));
    let (mut one, mut other) = (None, None);
    poll_fn(|context| {
        if one.is_none()
            && let Poll::Ready(answer) = first.as_mut().poll(context)
        {
            one = Some(answer);
        }
        if other.is_none()
            && let Poll::Ready(answer) = second.as_mut().poll(context)
        {
            other = Some(answer);
        }
        match (one.take(), other.take()) {
            (Some(one), Some(other)) => Poll::Ready((one, other)),
            unfinished => {
                (one, other) = unfinished;
                Poll::Pending
            }
        }
    })
    .await
}
