//! The adapter for gpu-lsm's own dictionary.

use crate::error::Result;
use crate::measure::structure::{Entries, Found, Growth, Interval, Structure};
use crate::record::measurement::Resident;
use gpu_lsm::{Buffer, Config, Device, Dictionary, Traffic};
#[cfg(feature = "gpu")]
use gpu_lsm_primitives::{Backend, DeviceClock};

/// The dictionary, and the device to which its columns are uploaded.
#[derive(Debug)]
pub struct GpuLsm {
    device: Device,
    config: Config,
    dictionary: Dictionary<u32, u32>,
}

impl GpuLsm {
    /// An empty dictionary for batches of `b`.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn new(device: &Device, b: usize) -> Result<Self> {
        let config = Config::new().with_batch_size(b);
        let dictionary = Dictionary::with_config(device, config)?;
        Ok(Self { device: device.clone(), config, dictionary })
    }
}

impl Structure for GpuLsm {
    type Column = Buffer<u32>;
    const NAME: &'static str = "gpu-lsm";
    const GROWTH: Growth = Growth::ByBatches;

    fn upload(&self, numbers: &[u32]) -> Result<Buffer<u32>> {
        let buffer = self.device.upload(numbers)?;
        buffer.read_first(1)?; // the wait
        Ok(buffer)
    }

    fn read(&self, column: &Buffer<u32>, len: usize) -> Result<Vec<u32>> {
        Ok(column.read_first(len)?)
    }

    fn build(&mut self, keys: &Buffer<u32>, values: &Buffer<u32>) -> Result<()> {
        self.dictionary = Dictionary::build(&self.device, self.config, keys, values)?;
        Ok(())
    }

    fn update(&mut self, keys: &Buffer<u32>, values: &Buffer<u32>, deletes: &Buffer<u32>) -> Result<()> {
        Ok(self.dictionary.update(keys, values, deletes)?)
    }

    fn slide(
        &mut self,
        keys: &Buffer<u32>,
        values: &Buffer<u32>,
        _: &Buffer<u32>,
        oldest: Interval,
    ) -> Result<()> {
        self.dictionary.delete_range(&[oldest.lower], &[oldest.upper])?;
        Ok(self.dictionary.insert(keys, values)?)
    }

    fn cleanup(&mut self) -> Result<()> {
        Ok(self.dictionary.cleanup()?)
    }

    fn lookup(&self, keys: &Buffer<u32>) -> Result<Found<Buffer<u32>>> {
        let answers = self.dictionary.on_device().lookup(keys)?;
        Ok(Found { found: answers.found, values: answers.values })
    }

    fn count(&self, lower: &Buffer<u32>, upper: &Buffer<u32>) -> Result<Buffer<u32>> {
        Ok(self.dictionary.on_device().count(lower, upper)?)
    }

    fn range(&self, lower: &Buffer<u32>, upper: &Buffer<u32>) -> Result<Entries<Buffer<u32>>> {
        let found = self.dictionary.on_device().range(lower, upper)?;
        Ok(Entries { offsets: found.offsets, keys: found.keys, values: found.values })
    }

    fn resident(&self) -> Result<Resident> {
        let statistics = self.dictionary.statistics();
        Ok(Resident { entries: statistics.entries, bytes: Some(statistics.bytes) })
    }

    #[cfg(feature = "gpu")]
    fn device_clock(&self) -> Option<DeviceClock> {
        self.device.as_gpu()?.device_clock()
    }

    fn traffic(&self) -> Traffic {
        self.dictionary.statistics().traffic
    }
}
