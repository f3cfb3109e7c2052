//! A snapshot: a read-only view of a dictionary.

use crate::backed::{Backed, PerBackend, Residence, on_backend};
use crate::config::Config;
use crate::core::Core;
use crate::error::Result;
use crate::key::Key;
use crate::statistics::Statistics;
use gpu_lsm_primitives::{Backend, Key as Code, Meter, Value};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// What a dictionary holds at one moment: every query, unaffected by later updates.
///
/// A [`Dictionary`](crate::Dictionary) gives one out at no cost and is itself used as one: all queries are methods of
/// `Snapshot`. The memory of runs that the dictionary has replaced is given back when the last snapshot goes; until then
/// it counts against the dictionary's byte budget.
///
/// ```
/// use gpu_lsm::{Device, Dictionary};
/// let mut dictionary = Dictionary::<u32, u32>::new(&Device::host())?;
/// dictionary.insert(&[1, 2, 3], &[10, 20, 30])?;
/// let before = dictionary.snapshot();
/// dictionary.delete(&[2])?;
/// assert_eq!(before.count(&[0], &[9])?, [3]);
/// assert_eq!(dictionary.count(&[0], &[9])?, [2]);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
#[derive(Clone)]
pub struct Snapshot<K: Key, V: Value> {
    pub(crate) inner: Backed<Cores<K::Code, V>>,
}

/// Dictionaries by backend.
pub(crate) struct Cores<K, V>(PhantomData<(K, V)>);

impl<K: Code, V: Value> PerBackend for Cores<K, V> {
    type On<B: Residence> = Core<B, K, V>;
}

impl<K: Key, V: Value> Snapshot<K, V> {
    /// The number of live entries. Waits for the device.
    ///
    /// Costs a lookup of each key in the levels that are older, once for each level; nothing, and no wait, where that was
    /// done before, or there is one level only, as after a cleanup.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn len(&self) -> Result<u64> {
        on_backend!(&self.inner, core => core.len())
    }

    /// Levels, entries, tombstones and bytes. Does not wait for the device.
    pub fn statistics(&self) -> Statistics {
        on_backend!(&self.inner, core => core.statistics())
    }

    /// Checks every rule that the runs and their list keep. Copies everything to the host, and waits for the device.
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt) with the first rule that is broken.
    pub fn verify(&self) -> Result<()> {
        on_backend!(&self.inner, core => core.verify())
    }

    /// The options that the dictionary was made with.
    pub fn config(&self) -> &Config {
        on_backend!(&self.inner, core => &core.config)
    }

    /// The account of the dictionary's memory, and the hook that makes a call fail: for tests.
    #[doc(hidden)]
    pub fn meter(&self) -> &Arc<Meter> {
        on_backend!(&self.inner, core => core.backend.meter())
    }
}

impl<K: Key, V: Value> fmt::Debug for Snapshot<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}
