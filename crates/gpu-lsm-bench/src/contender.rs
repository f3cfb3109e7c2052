//! Who is measured on a device.

use crate::error::Result;
use crate::ours::GpuLsm;
#[cfg(feature = "rivals")]
use crate::rivals::OnCpu;
use crate::structure::{Clocked, Measured, Structure};
use gpu_lsm::Device;

/// A structure by name, with a way to make an empty one.
pub struct Contender {
    /// Its name in records and tables.
    pub name: &'static str,
    make: Box<Make>,
}

/// Makes an empty structure for batches of so many entries.
type Make = dyn Fn(usize) -> Result<Box<dyn Measured>>;

impl Contender {
    /// A contender whose structures `make` makes, given the batch size.
    pub fn new<S: Structure + 'static>(make: impl Fn(usize) -> Result<S> + 'static) -> Self {
        Self { name: S::NAME, make: Box::new(move |b| Ok(Box::new(Clocked(make(b)?)))) }
    }

    /// An empty structure for batches of `b`.
    ///
    /// # Errors
    /// Where the device is lost.
    pub fn make(&self, b: usize) -> Result<Box<dyn Measured>> {
        (self.make)(b)
    }
}

/// Everyone who can be measured on a device. Rivals on the CPU are, where the feature `rivals` is on and the device is
/// the host.
pub fn contenders(device: &Device) -> Vec<Contender> {
    let own = device.clone();
    #[allow(unused_mut, reason = "grows with the feature `rivals`")]
    let mut all = vec![Contender::new(move |b| GpuLsm::new(&own, b))];
    #[cfg(feature = "rivals")]
    if device.is_host() {
        all.push(Contender::new(|_| Ok(OnCpu::<gpu_lsm_rivals::Tree>::default())));
        all.push(Contender::new(|_| Ok(OnCpu::<gpu_lsm_rivals::SortedVec>::default())));
        all.push(Contender::new(|_| Ok(OnCpu::<gpu_lsm_rivals::Database>::default())));
    }
    all
}
