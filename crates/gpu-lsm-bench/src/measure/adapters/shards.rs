//! The adapter for gpu-lsm's sharded dictionary. Its columns and answers are in the host's memory.

use crate::error::Result;
use crate::measure::structure::{Entries, Found, Growth, Structure};
use crate::record::measurement::Resident;
use gpu_lsm::{Config, Device, Sharded, Sharding, Traffic};

/// The number of shards to aim at.
const SHARDS: usize = 4;

/// A sharded dictionary on one device.
#[derive(Debug)]
pub struct Shards {
    device: Device,
    config: Config,
    dictionary: Sharded<u32, u32>,
}

impl Shards {
    /// An empty dictionary for batches of `b`.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn new(device: &Device, b: usize) -> Result<Self> {
        let config = Config::new().with_batch_size(b);
        Ok(Self { device: device.clone(), config, dictionary: empty(device, config)? })
    }
}

fn empty(device: &Device, config: Config) -> Result<Sharded<u32, u32>> {
    let sharding = Sharding::new().with_shards(SHARDS);
    Ok(Sharded::with_sharding(std::slice::from_ref(device), config, &sharding)?)
}

impl Structure for Shards {
    type Column = Vec<u32>;
    const NAME: &'static str = "gpu-lsm-shards";
    const GROWTH: Growth = Growth::ByBatches;

    fn upload(&self, numbers: &[u32]) -> Result<Vec<u32>> {
        Ok(numbers.to_vec())
    }

    fn read(&self, column: &Vec<u32>, len: usize) -> Result<Vec<u32>> {
        Ok(column[..len.min(column.len())].to_vec())
    }

    fn build(&mut self, keys: &Vec<u32>, values: &Vec<u32>) -> Result<()> {
        self.dictionary = empty(&self.device, self.config)?;
        Ok(self.dictionary.insert(keys, values)?)
    }

    fn update(&mut self, keys: &Vec<u32>, values: &Vec<u32>, deletes: &Vec<u32>) -> Result<()> {
        Ok(self.dictionary.update(keys, values, deletes)?)
    }

    fn cleanup(&mut self) -> Result<()> {
        Ok(self.dictionary.cleanup()?)
    }

    fn lookup(&self, keys: &Vec<u32>) -> Result<Found<Vec<u32>>> {
        let (found, values) = self.dictionary.lookup(keys)?.into_parts();
        Ok(Found { found, values })
    }

    fn count(&self, lower: &Vec<u32>, upper: &Vec<u32>) -> Result<Vec<u32>> {
        Ok(self.dictionary.count(lower, upper)?.into_iter().map(|count| count as u32).collect())
    }

    fn range(&self, lower: &Vec<u32>, upper: &Vec<u32>) -> Result<Entries<Vec<u32>>> {
        let (offsets, keys, values) = self.dictionary.range(lower, upper)?.into_parts();
        let offsets = offsets.into_iter().map(|offset| offset as u32).collect();
        Ok(Entries { offsets, keys, values })
    }

    fn resident(&self) -> Result<Resident> {
        let statistics = self.dictionary.statistics();
        Ok(Resident { entries: statistics.entries, bytes: Some(statistics.bytes) })
    }

    fn traffic(&self) -> Traffic {
        self.dictionary.statistics().traffic
    }
}
