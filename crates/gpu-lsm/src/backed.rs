//! The only module that matches on the device. All other code is written once, for any backend.

#[cfg(feature = "gpu")]
use gpu_lsm_primitives::gpu::Gpu;
use gpu_lsm_primitives::host::{Host, Threads};
use gpu_lsm_primitives::{Backend, Meter};
use std::sync::Arc;

/// A thing that exists on each backend: an array, a dictionary, an update.
pub(crate) trait PerBackend {
    /// Its type on a backend.
    type On<B: Residence>: Clone;
}

/// Such a thing, on one of the backends that are compiled in.
pub(crate) enum Backed<T: PerBackend> {
    Host(T::On<Host>),
    #[cfg(feature = "gpu")]
    Gpu(T::On<Gpu>),
}

/// Evaluates an expression with the thing inside, whichever backend it is on.
macro_rules! on_backend {
    ($backed:expr, $one:pat => $result:expr) => {
        match $backed {
            $crate::backed::Backed::Host($one) => $result,
            #[cfg(feature = "gpu")]
            $crate::backed::Backed::Gpu($one) => $result,
        }
    };
}
pub(crate) use on_backend;

impl<T: PerBackend> Clone for Backed<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Host(one) => Self::Host(one.clone()),
            #[cfg(feature = "gpu")]
            Self::Gpu(one) => Self::Gpu(one.clone()),
        }
    }
}

/// A backend that dictionaries live on.
pub(crate) trait Residence: Backend {
    /// The device itself, which makes backends with meters of their own.
    type Device: DeviceHandle<Backend = Self>;

    /// The device that it is on.
    fn device(&self) -> Self::Device;
    /// Whether each can use the other's arrays.
    fn is_same_device(&self, other: &Self) -> bool;
    fn device_name(&self) -> &str;
    fn backed<T: PerBackend>(one: T::On<Self>) -> Backed<T>;
    /// The thing, if it is on this backend.
    fn of<T: PerBackend>(backed: &Backed<T>) -> Option<&T::On<Self>>;
    fn of_mut<T: PerBackend>(backed: &mut Backed<T>) -> Option<&mut T::On<Self>>;
}

/// An open device.
pub(crate) trait DeviceHandle: Clone {
    type Backend: Residence<Device = Self>;

    fn name(&self) -> &str;
    /// On a GPU, the smallest and the largest subgroup.
    fn plane_sizes(&self) -> Option<(u32, u32)>;
    /// Whether the other is the same device.
    fn is_among(&self, other: &Backed<Devices>) -> bool {
        let meter = || Meter::new(None);
        let other = Self::Backend::of(other);
        other.is_some_and(|other| self.backend(meter()).is_same_device(&other.backend(meter())))
    }
    /// A backend with its own meter.
    fn backend(&self, meter: Arc<Meter>) -> Self::Backend;
}

/// Devices by backend.
pub(crate) struct Devices;

impl PerBackend for Devices {
    type On<B: Residence> = B::Device;
}

/// The host's own cores.
#[derive(Clone)]
pub(crate) struct HostDevice {
    /// The most elements that an array can have.
    pub(crate) largest: u64,
    pub(crate) threads: Threads,
}

impl DeviceHandle for HostDevice {
    type Backend = Host;

    fn name(&self) -> &str {
        "host"
    }

    fn plane_sizes(&self) -> Option<(u32, u32)> {
        None
    }

    fn backend(&self, meter: Arc<Meter>) -> Host {
        Host::with_arrays_of_at_most(self.largest, meter).on(self.threads.clone())
    }
}

impl Residence for Host {
    type Device = HostDevice;

    fn device(&self) -> HostDevice {
        HostDevice { largest: self.max_len(1), threads: self.threads().clone() }
    }

    fn is_same_device(&self, _: &Self) -> bool {
        true
    }

    fn device_name(&self) -> &str {
        "host"
    }

    fn backed<T: PerBackend>(one: T::On<Self>) -> Backed<T> {
        Backed::Host(one)
    }

    fn of<T: PerBackend>(backed: &Backed<T>) -> Option<&T::On<Self>> {
        match backed {
            Backed::Host(one) => Some(one),
            #[cfg(feature = "gpu")]
            Backed::Gpu(_) => None,
        }
    }

    fn of_mut<T: PerBackend>(backed: &mut Backed<T>) -> Option<&mut T::On<Self>> {
        match backed {
            Backed::Host(one) => Some(one),
            #[cfg(feature = "gpu")]
            Backed::Gpu(_) => None,
        }
    }
}

#[cfg(feature = "gpu")]
impl DeviceHandle for Gpu {
    type Backend = Self;

    fn name(&self) -> &str {
        self.name()
    }

    fn plane_sizes(&self) -> Option<(u32, u32)> {
        Some(self.plane_sizes())
    }

    fn backend(&self, meter: Arc<Meter>) -> Self {
        self.with_meter(meter)
    }
}

#[cfg(feature = "gpu")]
impl Residence for Gpu {
    type Device = Self;

    fn device(&self) -> Self {
        self.clone()
    }

    fn is_same_device(&self, other: &Self) -> bool {
        self.is_same_device(other)
    }

    fn device_name(&self) -> &str {
        self.name()
    }

    fn backed<T: PerBackend>(one: T::On<Self>) -> Backed<T> {
        Backed::Gpu(one)
    }

    fn of<T: PerBackend>(backed: &Backed<T>) -> Option<&T::On<Self>> {
        match backed {
            Backed::Gpu(one) => Some(one),
            Backed::Host(_) => None,
        }
    }

    fn of_mut<T: PerBackend>(backed: &mut Backed<T>) -> Option<&mut T::On<Self>> {
        match backed {
            Backed::Gpu(one) => Some(one),
            Backed::Host(_) => None,
        }
    }
}
