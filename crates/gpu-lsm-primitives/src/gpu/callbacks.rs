//! The callbacks of a wgpu device that a program and the engine share.
//!
//! wgpu keeps one callback for errors and one for the loss of a device, and tells nobody which they are. The engine sets
//! its own. So the program has to hand over its callbacks again, and those that are set here serve both.

use cubecl::wgpu::wgpu::{Device, DeviceLostReason, Error, UncapturedErrorHandler};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::thread::{self, ThreadId};

/// The callbacks of a program that shares its device.
pub struct Callbacks {
    uncaptured_error: Box<dyn UncapturedErrorHandler>,
    device_lost: Box<dyn Fn(DeviceLostReason, String) + Send>,
}

impl Callbacks {
    /// The callbacks that the program would set by wgpu's `Device::on_uncaptured_error` and
    /// `Device::set_device_lost_callback`.
    ///
    /// The first is called for errors of the program's own calls only. Those of the engine's calls become errors of
    /// dictionaries.
    pub fn new(
        uncaptured_error: impl UncapturedErrorHandler,
        device_lost: impl Fn(DeviceLostReason, String) + Send + 'static,
    ) -> Self {
        Self { uncaptured_error: Box::new(uncaptured_error), device_lost: Box::new(device_lost) }
    }

    /// Sets callbacks that call these and do what the engine's would do. wgpu reports an error on the thread whose call
    /// made it, and the engine calls wgpu on a thread of its own.
    pub(super) fn set(self, device: &Device, engine: ThreadId, lost: Arc<OnceLock<String>>) {
        let Self { uncaptured_error, device_lost } = self;
        let reason = Arc::clone(&lost);
        device.set_device_lost_callback(move |kind, message| {
            reason.get_or_init(|| format!("{kind:?}: {message}"));
            device_lost(kind, message);
        });
        device.on_uncaptured_error(Arc::new(move |error: Error| {
            if thread::current().id() != engine {
                uncaptured_error(error);
            } else if lost.get().is_none() {
                // The engine expects this: it catches the panic, and the work in hand fails.
                panic!("wgpu error: {error}");
            }
        }));
    }
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks").finish_non_exhaustive()
    }
}
