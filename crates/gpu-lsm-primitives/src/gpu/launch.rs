//! The only way to the engine: every launch and every wait passes through here.

use super::device::Gpu;
use super::hook::{Launched, Runner};
use super::shape::Shape;
use super::table::{Action, Instance, Launch};
use crate::backend::DeviceClock;
use crate::code::KeyWidth;
use crate::error::{Error, Result};
use cubecl::future::block_on;
use cubecl::ir::{ElemType, UIntKind};
use cubecl::prelude::CubeCount;
use cubecl::profile::TimingMethod;
use cubecl::server::Handle;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

impl Gpu {
    /// Launches a kernel in which `units` units have work. Does not wait.
    pub(super) fn launch<L: Launch>(&self, launch: &L, units: usize) -> Result<()> {
        if units == 0 {
            return Ok(());
        }
        self.check_fuse()?;
        let kernel = launch.kernel();
        self.check_needs(&kernel)?;
        let cubes = units.div_ceil(self.shape().units as usize);
        let Some((width, height)) = self.shape().grid(cubes) else {
            return Err(self.unsupported(&kernel, "cubes in a grid", cubes));
        };
        self.account().traffic_counter().add_launch(launch.moved_bytes(units as u64));
        if self.is_run_by_hook(launch, (width, height))? {
            return Ok(());
        }
        let grid = CubeCount::Static(width, height, 1);
        self.guarded(|| {
            launch.perform(self.client(), self.shape().units, Action::Launch(grid));
        })
    }

    /// Offers a launch to the hooks, until one of them runs it.
    fn is_run_by_hook<L: Launch>(&self, launch: &L, grid: (u32, u32)) -> Result<bool> {
        if self.hooks().is_empty() {
            return Ok(false);
        }
        let (kernel, bindings, numbers) = (launch.kernel(), launch.bindings(), launch.numbers());
        let cube = self.shape().units;
        let launched = Launched { kernel: &kernel, grid, cube, bindings: &bindings, numbers: &numbers };
        for hook in self.hooks() {
            if hook.launch(&launched, self)? == Runner::Hook {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Starts the engine's clock, if it measures the device's own time.
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

    /// Waits until all work is done, and checks that none of it failed to write `memory`.
    pub(super) fn confirm(&self, memory: &[&Handle]) -> Result<()> {
        self.account().traffic_counter().add_wait();
        block_on(self.written(memory)?)
    }

    /// Asks whether all work is done and none of it failed to write `memory`. The future resolves when the work is
    /// done.
    pub(super) fn written(&self, memory: &[&Handle]) -> Result<impl Future<Output = Result<()>>> {
        self.check_fuse()?;
        let memory = memory.iter().copied();
        let written = self.guarded(|| self.client().sync_buffers(memory))?;
        Ok(async { self.guarded_future(written).await?.map_err(|error| self.engine_error(&error)) })
    }

    /// Fails if a test asked for a failure here.
    pub(super) fn check_fuse(&self) -> Result<()> {
        let fuse = self.account().fuse();
        if !fuse.burns() {
            return Ok(());
        }
        let message = "injected by a test".to_owned();
        Err(if fuse.loses_device() { self.lose(message) } else { Error::Failed { message } })
    }

    /// Checks that the device meets a kernel's needs.
    pub(super) fn check_needs(&self, kernel: &dyn Instance) -> Result<()> {
        kernel.key_width().map_or(Ok(()), |width| self.check_width(width))?;
        let hardware = &self.client().properties().hardware;
        let buffers = kernel.buffers().len();
        if buffers > hardware.max_bindings as usize {
            return Err(self.unsupported(kernel, "buffers", buffers));
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

    /// Checks that the device has integers of this width.
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

    fn unsupported(&self, kernel: &dyn Instance, what: &str, number: usize) -> Error {
        Error::Unsupported {
            what: format!("{number} {what}, which kernel {kernel} needs"),
            device: self.name().to_owned(),
        }
    }
}

/// Polls two futures concurrently until both are done.
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
