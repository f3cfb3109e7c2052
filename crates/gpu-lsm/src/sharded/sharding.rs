//! The options of a sharded dictionary: how many shards, where their boundaries are, and what each device takes.

use crate::error::{Error, Result};
use crate::key::Key;

/// The number of shards of each device, if there are several devices: enough that whole shards can even out the load.
const PER_DEVICE: usize = 4;

/// How a [`Sharded`](crate::Sharded) dictionary is divided at first. Later its shards follow the data.
///
/// ```
/// use gpu_lsm::{Config, Device, Sharded, Sharding};
/// let sharding = Sharding::new().with_boundaries(&[100u32, 200]);
/// let dictionary = Sharded::<u32, u32>::with_sharding(&[Device::host()], Config::new(), &sharding)?;
/// assert_eq!(dictionary.statistics().shards.len(), 3);
/// # Ok::<(), gpu_lsm::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sharding<K> {
    shards: Option<usize>,
    boundaries: Vec<K>,
    shares: Option<Vec<f64>>,
}

impl<K> Default for Sharding<K> {
    fn default() -> Self {
        Self { shards: None, boundaries: Vec::new(), shares: None }
    }
}

impl<K: Key> Sharding<K> {
    /// One shard on one device, four on each of several. Boundaries come from the keys of the first batch, and shares
    /// from the memory of the devices.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded, Sharding};
    /// let sharding = Sharding::new();
    /// let set = Sharded::<u32, ()>::with_sharding(&[Device::host()], Config::new(), &sharding)?;
    /// assert_eq!(set.statistics().shards.len(), 1);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of shards to aim at. There may be up to twice as many, and more if a device's buffers are too
    /// small for so few.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded, Sharding};
    /// let sharding = Sharding::new().with_shards(4);
    /// let config = Config::new().with_batch_size(64);
    /// let mut set = Sharded::<u32, ()>::with_sharding(&[Device::host()], config, &sharding)?;
    /// set.insert_keys((0..1000).collect::<Vec<_>>())?;
    /// assert_eq!(set.statistics().shards.len(), 4);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    #[must_use]
    pub fn with_shards(self, shards: usize) -> Self {
        Self { shards: Some(shards), ..self }
    }

    /// Sets the first key of every shard but the first, and with them the number of shards. They may be in any order.
    ///
    /// ```
    /// use gpu_lsm::Sharding;
    /// assert_ne!(Sharding::new().with_boundaries(&[0.5f32]), Sharding::new());
    /// ```
    #[must_use]
    pub fn with_boundaries(self, boundaries: &[K]) -> Self {
        Self { boundaries: boundaries.to_vec(), ..self }
    }

    /// Sets what each device takes, in any unit: a device with twice the share of another gets twice the entries.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Sharded, Sharding};
    /// let devices = [Device::host_with_threads(1)?, Device::host_with_threads(3)?];
    /// let sharding = Sharding::new().with_shares(&[1.0, 3.0]);
    /// let dictionary = Sharded::<u32, u32>::with_sharding(&devices, Config::new(), &sharding)?;
    /// assert_eq!(dictionary.devices().len(), 2);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    #[must_use]
    pub fn with_shares(self, shares: &[f64]) -> Self {
        Self { shares: Some(shares.to_vec()), ..self }
    }

    /// The number of shards to aim at.
    pub(super) fn shards(&self, devices: usize) -> usize {
        let default = if devices > 1 { PER_DEVICE * devices } else { 1 };
        self.shards.unwrap_or(default).max(self.first_codes().len()).max(1)
    }

    /// The first code of each shard, ascending.
    pub(super) fn first_codes(&self) -> Vec<K::Code> {
        let mut codes: Vec<K::Code> = self.boundaries.iter().map(|key| key.to_code()).collect();
        codes.push(K::MIN.to_code());
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    /// The part of all entries that each device takes, if shares were given.
    pub(super) fn shares(&self, devices: usize) -> Result<Option<Vec<f64>>> {
        let Some(shares) = &self.shares else { return Ok(None) };
        let is_share = |share: &f64| share.is_finite() && *share > 0.0;
        if shares.len() != devices || !shares.iter().all(is_share) {
            return Err(Error::Shares { devices, shares: shares.len() });
        }
        Ok(Some(shares.clone()))
    }
}
