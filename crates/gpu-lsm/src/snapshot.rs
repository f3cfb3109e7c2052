//! A snapshot: a read-only view of a dictionary.

use crate::backed::{Backed, PerBackend, Residence, on_backend};
use crate::config::Config;
use crate::core::Core;
use crate::error::Result;
use crate::key::Key;
use crate::statistics::Statistics;
use gpu_lsm_primitives::{Backend, Code, Meter, Value};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// The state of a dictionary at one moment. It has all queries, and later updates do not change it.
///
/// A [`Dictionary`](crate::Dictionary) hands out snapshots at no cost and dereferences to one: all queries are methods
/// of `Snapshot`. Runs that the dictionary has replaced are freed with the last snapshot of them; until then they count
/// against the dictionary's byte budget.
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
    /// ```
    /// use gpu_lsm::{Device, Dictionary};
    /// let mut dictionary = Dictionary::<u32, u32>::new(&Device::host())?;
    /// dictionary.insert(&[1, 2, 3], &[10, 20, 30])?;
    /// dictionary.delete(&[2, 9])?;
    /// assert_eq!(dictionary.len()?, 2);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Tallies each level once: that costs a lookup of the level's keys in the older levels. If all levels are tallied,
    /// or there is only one level, as after a cleanup, the call costs nothing and does not wait.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn len(&self) -> Result<u64> {
        on_backend!(&self.inner, core => core.len())
    }

    /// Levels, entries, tombstones and bytes. Does not wait for the device.
    ///
    /// ```
    /// use gpu_lsm::{Device, Dictionary};
    /// let mut dictionary = Dictionary::<u32, u32>::new(&Device::host())?;
    /// dictionary.insert(&[1, 2, 3], &[10, 20, 30])?;
    /// let statistics = dictionary.statistics();
    /// assert_eq!((statistics.levels.len(), statistics.entries), (1, 3));
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn statistics(&self) -> Statistics {
        on_backend!(&self.inner, core => core.statistics())
    }

    /// Checks every rule that runs and levels must keep. Copies everything to the host and waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Device, Dictionary};
    /// let mut dictionary = Dictionary::<u32, u32>::new(&Device::host())?;
    /// dictionary.insert(&[1, 2, 3], &[10, 20, 30])?;
    /// dictionary.verify()?;
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Corrupt`](crate::Error::Corrupt) with the first broken rule.
    pub fn verify(&self) -> Result<()> {
        on_backend!(&self.inner, core => core.verify())
    }

    /// The dictionary's options.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary};
    /// let dictionary = Dictionary::<u32, u32>::with_config(&Device::host(), Config::new().with_batch_size(1000))?;
    /// assert_eq!(dictionary.config().batch_size(), 1000);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn config(&self) -> &Config {
        on_backend!(&self.inner, core => &core.config)
    }

    /// The same state with keys of another type that has the same codes. Copies nothing and does not wait.
    ///
    /// For bindings, which know the type of the keys only at run time. Not public yet.
    #[doc(hidden)]
    pub fn seen_as<L: Key<Code = K::Code>>(&self) -> Snapshot<L, V> {
        Snapshot { inner: self.inner.clone() }
    }

    /// The meter of the dictionary's memory, with the fuse that makes a call fail: for tests.
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
