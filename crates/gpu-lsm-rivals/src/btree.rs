//! The standard library's ordered map, on one thread.

use crate::{Entries, Result, Rival, collect};
use std::collections::BTreeMap;

/// A `BTreeMap`.
#[derive(Debug, Default)]
pub struct Tree {
    entries: BTreeMap<u32, u32>,
}

impl Rival for Tree {
    const NAME: &'static str = "btree_map";

    fn update(&mut self, keys: &[u32], values: &[u32], deletes: &[u32]) -> Result<()> {
        self.entries.extend(keys.iter().copied().zip(values.iter().copied()));
        for key in deletes {
            self.entries.remove(key);
        }
        Ok(())
    }

    fn lookup(&self, keys: &[u32]) -> Result<Vec<Option<u32>>> {
        Ok(keys.iter().map(|key| self.entries.get(key).copied()).collect())
    }

    fn count(&self, lower: &[u32], upper: &[u32]) -> Result<Vec<u32>> {
        let intervals = lower.iter().zip(upper);
        Ok(intervals.map(|(&lower, &upper)| self.between(lower, upper).count() as u32).collect())
    }

    fn range(&self, lower: &[u32], upper: &[u32]) -> Result<Entries> {
        let intervals = lower.iter().zip(upper);
        collect(intervals.map(|(&lower, &upper)| Ok(self.between(lower, upper).map(Ok))))
    }

    fn len(&self) -> Result<u64> {
        Ok(self.entries.len() as u64)
    }
}

impl Tree {
    /// The entries of an interval; the map itself would panic where the lower bound is above the upper.
    fn between(&self, lower: u32, upper: u32) -> impl Iterator<Item = (u32, u32)> {
        let interval = (lower <= upper).then(|| self.entries.range(lower..=upper));
        interval.into_iter().flatten().map(|(&key, &value)| (key, value))
    }
}
