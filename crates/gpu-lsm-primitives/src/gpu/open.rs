//! Opens devices, and registers their hooks.

use super::array::MIN_BYTES;
use super::axes::Tiles;
use super::binding::Binding;
use super::device::{Gpu, OpenDevice};
use super::devices;
use super::failure::caught;
use super::hook::Hook;
use super::shape::Shape;
use crate::error::{Error, Result};
use crate::meter::Meter;
use cubecl::future::block_on;
use cubecl::prelude::Client;
use std::sync::{Arc, OnceLock};

impl Gpu {
    /// Opens a device of the engine.
    ///
    /// # Errors
    /// [`Error::CannotOpen`] if the engine cannot open it, [`Error::Unsupported`] if its driver cannot compile the
    /// kernels.
    pub fn open(device: &cubecl::Device, meter: Arc<Meter>) -> Result<Self> {
        Self::open_with(device, meter, asked_for()?)
    }

    /// Opens a caller's own device, of which only the caller knows the kind. All who open it learn of its loss from
    /// `lost`.
    ///
    /// # Errors
    /// As for [`open`](Self::open), and [`Error::DeviceLost`] if it is lost already.
    #[cfg(feature = "wgpu")]
    pub(super) fn open_shared(
        device: &cubecl::Device,
        meter: Arc<Meter>,
        tiles: Tiles,
        lost: Arc<OnceLock<String>>,
    ) -> Result<Self> {
        if let Some(reason) = lost.get() {
            return Err(Error::DeviceLost { reason: reason.clone() });
        }
        Self::open_tiled(device, meter, asked_for()?, tiles, lost)
    }

    /// The same, with `hooks` that are told of every launch on it.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_with(device: &cubecl::Device, meter: Arc<Meter>, hooks: Vec<Box<dyn Hook>>) -> Result<Self> {
        Self::open_tiled(device, meter, hooks, devices::tiles_of(device)?, Arc::default())
    }

    /// The same, for a device that suits these tiles.
    fn open_tiled(
        device: &cubecl::Device,
        meter: Arc<Meter>,
        hooks: Vec<Box<dyn Hook>>,
        tiles: Tiles,
        lost: Arc<OnceLock<String>>,
    ) -> Result<Self> {
        let client = devices::client(device)?;
        let name = client.properties().identity.name.clone();
        let shape = Shape::of(&client.properties().hardware, tiles);
        let cannot_open = |reason| Error::CannotOpen { device: name.clone(), reason };
        let nothing = caught(|| nothing(&client)).flatten().map_err(cannot_open)?;
        let device = OpenDevice { device: device.clone(), client, name, shape, nothing, hooks, lost };
        Ok(Self::new(device, meter))
    }
}

/// A buffer of length 0. Waits until it is allocated, because no kernel that binds it would run otherwise.
fn nothing(client: &Client) -> Result<Binding, String> {
    let memory = client.empty(MIN_BYTES);
    block_on(client.sync_buffers([&memory])).map_err(|error| error.to_string())?;
    Ok(Binding { memory: memory.offset_end(MIN_BYTES as u64), len: 0 })
}

/// The hooks that the environment asks for.
#[cfg(feature = "proof")]
fn asked_for() -> Result<Vec<Box<dyn Hook>>> {
    use super::elsewhere::Elsewhere;
    use super::proof::LaunchRecord;
    let mut hooks: Vec<Box<dyn Hook>> = Vec::new();
    hooks.extend(LaunchRecord::from_environment().map(|record| Box::new(record) as Box<dyn Hook>));
    hooks.extend(Elsewhere::from_environment()?.map(|elsewhere| Box::new(elsewhere) as Box<dyn Hook>));
    Ok(hooks)
}

/// No hooks: without proofs, the environment is ignored.
#[cfg(not(feature = "proof"))]
fn asked_for() -> Result<Vec<Box<dyn Hook>>> {
    Ok(Vec::new())
}
