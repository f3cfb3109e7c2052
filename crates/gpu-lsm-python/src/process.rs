//! What a fork leaves: its child has the memory of the process, and none of the threads that work on it.

use crate::failure::{Failure, Outcome};
use gpu_lsm::Device;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The process that something was made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(u32);

impl Process {
    pub(crate) fn this() -> Self {
        Self(std::process::id())
    }

    /// Refuses to go on in a child of the process.
    pub(crate) fn check(self) -> Outcome<()> {
        if self == Self::this() { Ok(()) } else { Err(Failure::Forked) }
    }
}

/// Something that belongs to the process that made it.
pub(crate) struct Owned<T> {
    process: Process,
    inner: Option<T>,
}

impl<T> Owned<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { process: Process::this(), inner: Some(inner) }
    }

    /// What it is, unless this is a child of its process.
    pub(crate) fn get(&self) -> Outcome<&T> {
        self.process.check()?;
        self.inner.as_ref().ok_or(Failure::Forked)
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        if self.process.check().is_err() {
            // To drop a device is to wait for it, and in a child nobody works on it.
            std::mem::forget(self.inner.take());
        }
    }
}

/// The device of a name.
pub(crate) fn device(name: &str) -> Outcome<Device> {
    match name.to_lowercase().as_str() {
        "host" => host(),
        "auto" if is_child() => host(),
        // The list of GPUs, too, may belong to the process before the fork.
        _ if is_child() => Err(Failure::Forked),
        _ => Ok(name.parse()?),
    }
}

/// The first process that used a device. The threads that all programs share are its own.
static FIRST: OnceLock<Process> = OnceLock::new();

/// The threads of a process that was forked from the first.
static CHILD: Mutex<Option<(Process, Device)>> = Mutex::new(None);

fn is_child() -> bool {
    *FIRST.get_or_init(Process::this) != Process::this()
}

fn host() -> Outcome<Device> {
    if !is_child() {
        return Ok(Device::host());
    }
    let mut child = CHILD.lock().unwrap_or_else(PoisonError::into_inner);
    match &*child {
        Some((process, device)) if *process == Process::this() => Ok(device.clone()),
        _ => {
            let device = Device::host_with_threads(0)?;
            let old = child.replace((Process::this(), device.clone()));
            // Dropping the threads of another process would wait for them.
            std::mem::forget(old);
            Ok(device)
        }
    }
}
