//! The standard library's ordered map: on one thread, and with queries by all threads through a shared reference.

use crate::{Entries, Found, Result, Rival, collect, parallel};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A `BTreeMap`, on one thread.
#[derive(Debug, Default)]
pub struct Tree {
    entries: BTreeMap<u32, u32>,
}

impl Rival for Tree {
    const NAME: &'static str = "btree_map";

    fn build(keys: &[u32], values: &[u32]) -> Result<Self> {
        Ok(Self { entries: keys.iter().copied().zip(values.iter().copied()).collect() })
    }

    fn update(&mut self, keys: &[u32], values: &[u32], deletes: &[u32]) -> Result<()> {
        self.entries.extend(keys.iter().copied().zip(values.iter().copied()));
        for key in deletes {
            self.entries.remove(key);
        }
        Ok(())
    }

    fn slide(&mut self, keys: &[u32], values: &[u32], lower: u32, upper: u32) -> Result<()> {
        if lower <= upper {
            let mut deleted = self.entries.split_off(&lower);
            if let Some(above) = upper.checked_add(1) {
                // Costs nothing where the oldest entries are deleted: then there are none before them.
                self.entries.append(&mut deleted.split_off(&above));
            }
        }
        self.update(keys, values, &[])
    }

    fn lookup(&self, keys: &[u32]) -> Result<Found> {
        let mut answers = Found::with_capacity(keys.len());
        keys.iter().for_each(|key| answers.push(self.entries.get(key).copied()));
        Ok(answers)
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
    /// The entries of an interval. The map itself would panic if the lower bound is above the upper.
    fn between(&self, lower: u32, upper: u32) -> impl Iterator<Item = (u32, u32)> {
        let interval = (lower <= upper).then(|| self.entries.range(lower..=upper));
        interval.into_iter().flatten().map(|(&key, &value)| (key, value))
    }
}

/// A `BTreeMap` whose queries are distributed over all threads. Its updates are those of [`Tree`], on one thread.
#[derive(Debug, Default)]
pub struct SharedTree(Tree);

impl Rival for SharedTree {
    const NAME: &'static str = "btree_map_shared";
    const UPDATES_ARE_ITS_OWN: bool = false;

    fn build(keys: &[u32], values: &[u32]) -> Result<Self> {
        Ok(Self(Tree::build(keys, values)?))
    }

    fn update(&mut self, keys: &[u32], values: &[u32], deletes: &[u32]) -> Result<()> {
        self.0.update(keys, values, deletes)
    }

    fn slide(&mut self, keys: &[u32], values: &[u32], lower: u32, upper: u32) -> Result<()> {
        self.0.slide(keys, values, lower, upper)
    }

    fn lookup(&self, keys: &[u32]) -> Result<Found> {
        Ok(parallel::lookup(keys, |key| self.0.entries.get(&key).copied()))
    }

    fn count(&self, lower: &[u32], upper: &[u32]) -> Result<Vec<u32>> {
        let intervals = lower.par_iter().zip(upper);
        Ok(intervals.map(|(&lower, &upper)| self.0.between(lower, upper).count() as u32).collect())
    }

    /// Each thread collects the entries of some of the queries. Then all threads concatenate the parts.
    fn range(&self, lower: &[u32], upper: &[u32]) -> Result<Entries> {
        let part = lower.len().div_ceil(4 * rayon::current_num_threads()).max(1);
        let parts = lower.par_chunks(part).zip(upper.par_chunks(part));
        let parts: Vec<_> = parts.map(|(lower, upper)| self.0.range(lower, upper)).collect::<Result<_>>()?;
        let starts = parallel::offsets(parts.iter().map(|part| part.keys.len()));
        let mut all = Entries::with_len(starts[parts.len()] as usize);
        parallel::write(&starts, &mut all.keys, &mut all.values, &|at, keys, values| {
            keys.copy_from_slice(&parts[at].keys);
            values.copy_from_slice(&parts[at].values);
        });
        for (part, start) in parts.iter().zip(starts) {
            all.offsets.extend(part.offsets[1..].iter().map(|offset| start + offset));
        }
        Ok(all)
    }

    fn len(&self) -> Result<u64> {
        self.0.len()
    }
}
