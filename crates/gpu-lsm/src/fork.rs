//! Dictionaries that start from the state of another.

use crate::backed::{DeviceHandle, Residence, on_backend};
use crate::device::Device;
use crate::dictionary::Dictionary;
use crate::key::Key;
use crate::snapshot::{Cores, Snapshot};
use gpu_lsm_primitives::{Meter, Value};
use std::sync::Arc;

impl<K: Key, V: Value> Snapshot<K, V> {
    /// Makes a dictionary of its own, with the same options, that starts from this state. Copies nothing and does not
    /// wait. Neither dictionary sees the other's updates.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let ages = Dictionary::build(&Device::host(), Config::new(), [1u32, 2], [30u32, 40])?;
    /// let mut older = ages.fork();
    /// older.insert([1], [31])?;
    /// assert_eq!((ages.get(1)?, older.get(1)?), (Some(30), Some(31)));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// The runs that both have count against the byte budget of the dictionary that made them, until the last of their
    /// users is gone.
    pub fn fork(&self) -> Dictionary<K, V> {
        Dictionary { current: self.counted_by(&Meter::new(self.config().byte_budget())) }
    }

    /// The same state. What is made from it counts against the budget of this meter.
    pub(crate) fn counted_by(&self, meter: &Arc<Meter>) -> Self {
        let inner = on_backend!(&self.inner, core => {
            let mut core = core.clone();
            core.backend = core.backend.device().backend(Arc::clone(meter));
            Residence::backed::<Cores<K::Code, V>>(core)
        });
        Self { inner }
    }

    /// The device that it is on.
    ///
    /// ```
    /// use gpu_lsm::{Device, Dictionary};
    /// let dictionary = Dictionary::<u32, u32>::new(&Device::host())?;
    /// assert_eq!(dictionary.device(), Device::host());
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn device(&self) -> Device {
        on_backend!(&self.inner, core => device_of(&core.backend))
    }
}

fn device_of<B: Residence>(backend: &B) -> Device {
    Device::new(B::backed(backend.device()))
}

/// A clone is a [`fork`](Snapshot::fork).
impl<K: Key, V: Value> Clone for Dictionary<K, V> {
    fn clone(&self) -> Self {
        self.fork()
    }
}

/// The same as [`fork`](Snapshot::fork).
impl<K: Key, V: Value> From<Snapshot<K, V>> for Dictionary<K, V> {
    fn from(snapshot: Snapshot<K, V>) -> Self {
        snapshot.fork()
    }
}
