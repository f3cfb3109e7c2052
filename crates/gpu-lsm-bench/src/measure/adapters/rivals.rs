//! Adapters for rivals on the CPU. Their columns are vectors, and they have nothing to wait for.

use crate::error::Result;
use crate::measure::structure::{Entries, Found, Growth, Interval, Structure, unsupported};
use crate::record::measurement::Resident;
use gpu_lsm_rivals::Rival;

/// A rival as a structure.
#[derive(Debug, Default)]
pub struct OnCpu<R>(R);

impl<R: Rival> Structure for OnCpu<R> {
    type Column = Vec<u32>;
    const NAME: &'static str = R::NAME;
    const GROWTH: Growth = Growth::InBulk;

    fn upload(&self, numbers: &[u32]) -> Result<Vec<u32>> {
        Ok(numbers.to_vec())
    }

    fn read(&self, column: &Vec<u32>, len: usize) -> Result<Vec<u32>> {
        Ok(column[..len.min(column.len())].to_vec())
    }

    fn build(&mut self, keys: &Vec<u32>, values: &Vec<u32>) -> Result<()> {
        self.0 = R::build(keys, values)?;
        Ok(())
    }

    fn update(&mut self, keys: &Vec<u32>, values: &Vec<u32>, deletes: &Vec<u32>) -> Result<()> {
        if !R::UPDATES_ARE_ITS_OWN {
            return Err(unsupported::<Self>("update of its own"));
        }
        Ok(self.0.update(keys, values, deletes)?)
    }

    fn slide(&mut self, keys: &Vec<u32>, values: &Vec<u32>, _: &Vec<u32>, oldest: Interval) -> Result<()> {
        Ok(self.0.slide(keys, values, oldest.lower, oldest.upper)?)
    }

    fn lookup(&self, keys: &Vec<u32>) -> Result<Found<Vec<u32>>> {
        let answers = self.0.lookup(keys)?;
        Ok(Found { found: answers.found, values: answers.values })
    }

    fn count(&self, lower: &Vec<u32>, upper: &Vec<u32>) -> Result<Vec<u32>> {
        Ok(self.0.count(lower, upper)?)
    }

    fn range(&self, lower: &Vec<u32>, upper: &Vec<u32>) -> Result<Entries<Vec<u32>>> {
        let found = self.0.range(lower, upper)?;
        Ok(Entries { offsets: found.offsets, keys: found.keys, values: found.values })
    }

    fn resident(&self) -> Result<Resident> {
        Ok(Resident { entries: self.0.len()?, bytes: None })
    }
}
