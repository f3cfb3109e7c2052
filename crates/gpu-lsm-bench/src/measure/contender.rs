//! The structures that are measured on a device.

use crate::error::Result;
use crate::measure::adapters::baseline::{Cuckoo, Paper, Sorted};
use crate::measure::adapters::ours::GpuLsm;
#[cfg(feature = "rivals")]
use crate::measure::adapters::rivals::OnCpu;
use crate::measure::adapters::shards::Shards;
use crate::measure::clock::{Clocked, Measured};
use crate::measure::structure::Room;
use crate::measure::structure::Structure;
use gpu_lsm::Device;
use gpu_lsm_baselines::Baselines;
use gpu_lsm_primitives::Meter;
use gpu_lsm_primitives::host::Host;
use std::fmt;

/// The name of a structure, and a function that makes an empty one.
pub struct Contender {
    /// Its name in records and tables.
    pub name: &'static str,
    make: Box<Make>,
}

type Make = dyn Fn(Room) -> Result<Box<dyn Measured>>;

impl Contender {
    /// A contender whose structures `make` creates.
    pub fn new<S: Structure + 'static>(make: impl Fn(Room) -> Result<S> + 'static) -> Self {
        Self { name: S::NAME, make: Box::new(move |room| Ok(Box::new(Clocked(make(room)?)))) }
    }

    /// An empty structure for `batches` batches of `b` entries.
    ///
    /// # Errors
    /// If the device is lost or memory runs out.
    pub fn make(&self, b: usize, batches: usize) -> Result<Box<dyn Measured>> {
        (self.make)(Room { b, batches })
    }
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Contender").field(&self.name).finish()
    }
}

/// All structures that can be measured on a device. Rivals on the CPU are included if the feature `rivals` is on and
/// the device is the host.
pub fn contenders(device: &Device) -> Vec<Contender> {
    let own = device.clone();
    let mut all = vec![Contender::new(move |room| GpuLsm::new(&own, room.b))];
    #[cfg(feature = "gpu")]
    if let Some(gpu) = device.as_gpu() {
        all.extend(baselines(&|| gpu.with_meter(Meter::new(None))));
    }
    if device.is_host() {
        all.extend(baselines(&|| Host::new(Meter::new(None))));
        #[cfg(feature = "rivals")]
        all.extend([
            Contender::new(|_| Ok(OnCpu::<gpu_lsm_rivals::Tree>::default())),
            Contender::new(|_| Ok(OnCpu::<gpu_lsm_rivals::SharedTree>::default())),
            Contender::new(|_| Ok(OnCpu::<gpu_lsm_rivals::SortedVec>::default())),
            Contender::new(|_| Ok(OnCpu::<gpu_lsm_rivals::Database>::default())),
        ]);
    }
    all
}

/// The sharded dictionary, which experiments beyond one buffer measure beside the others.
pub(crate) fn sharded(device: &Device) -> Contender {
    let device = device.clone();
    Contender::new(move |room| Shards::new(&device, room.b))
}

/// The paper's structures, each with its own meter.
fn baselines<B: Baselines>(open: &dyn Fn() -> B) -> [Contender; 3] {
    let (for_paper, for_sorted, for_cuckoo) = (open(), open(), open());
    [
        Contender::new(move |room| Paper::new(&for_paper, room)),
        Contender::new(move |_| Sorted::new(&for_sorted)),
        Contender::new(move |_| Ok(Cuckoo::new(&for_cuckoo))),
    ]
}
