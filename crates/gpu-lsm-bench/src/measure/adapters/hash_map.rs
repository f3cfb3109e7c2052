//! The adapter for the standard library's hash map, on one thread. It has no order, so it answers no intervals.

use crate::error::Result;
use crate::measure::structure::{Found, Growth, Structure};
use crate::record::measurement::Resident;
use std::collections::HashMap;

/// A `HashMap` as a structure.
#[derive(Debug, Default)]
pub struct HashMapOnCpu(HashMap<u32, u32>);

impl Structure for HashMapOnCpu {
    type Column = Vec<u32>;
    const NAME: &'static str = "hash_map";
    const GROWTH: Growth = Growth::InBulk;

    fn upload(&self, numbers: &[u32]) -> Result<Vec<u32>> {
        Ok(numbers.to_vec())
    }

    fn read(&self, column: &Vec<u32>, len: usize) -> Result<Vec<u32>> {
        Ok(column[..len.min(column.len())].to_vec())
    }

    fn build(&mut self, keys: &Vec<u32>, values: &Vec<u32>) -> Result<()> {
        self.0 = keys.iter().copied().zip(values.iter().copied()).collect();
        Ok(())
    }

    fn update(&mut self, keys: &Vec<u32>, values: &Vec<u32>, deletes: &Vec<u32>) -> Result<()> {
        self.0.extend(keys.iter().copied().zip(values.iter().copied()));
        for key in deletes {
            self.0.remove(key);
        }
        Ok(())
    }

    fn lookup(&self, keys: &Vec<u32>) -> Result<Found<Vec<u32>>> {
        let answers = keys.iter().map(|key| self.0.get(key));
        let (found, values) =
            answers.map(|answer| (u32::from(answer.is_some()), answer.copied().unwrap_or(0))).unzip();
        Ok(Found { found, values })
    }

    fn resident(&self) -> Result<Resident> {
        Ok(Resident { entries: self.0.len() as u64, bytes: None })
    }
}
