//! update: sort the batch, merge it with the newest runs, replace the list of runs.

use crate::core::{Core, Levels, lens, place};
use crate::error::Result;
use crate::levels;
use gpu_lsm_primitives::{Array, Backend, Key, Pile, Run, Tombstones, Value, check_entries};

/// A batch on the device: a key per operation, values for as many as have one, a bit per operation set for deletes.
pub(crate) struct Columns<B: Backend, K: Key, V: Value> {
    pub(crate) keys: B::Array<K>,
    pub(crate) values: B::Array<V>,
    pub(crate) marks: Option<B::Array<u32>>,
}

impl<B: Backend, K: Key, V: Value> Columns<B, K, V> {
    /// Inserts, and after them deletes.
    pub(crate) fn update(
        backend: &B,
        keys: B::Array<K>,
        values: B::Array<V>,
        deletes: B::Array<K>,
    ) -> Result<Self> {
        if deletes.is_empty() {
            return Ok(Self { keys, values, marks: None });
        }
        let inserts = keys.len();
        let keys = if inserts == 0 { deletes } else { backend.concat(&keys, &deletes)? };
        let marks = Some(backend.marks(inserts, keys.len())?);
        Ok(Self { keys, values, marks })
    }
}

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    /// Checks that a batch of so many operations can be taken.
    pub(crate) fn check_batch(&self, operations: usize) -> Result<()> {
        self.backend.alive()?;
        Ok(check_entries::<B, K, V>(&self.backend, operations as u64)?)
    }

    /// Applies a batch whole, or fails and changes nothing.
    pub(crate) fn apply(&mut self, batch: Columns<B, K, V>) -> Result<()> {
        let operations = batch.keys.len();
        if operations == 0 {
            return Ok(());
        }
        let mut levels = self.levels.clone();
        let lens = lens(&levels);
        let through = levels::merge_through(&lens, operations as u64, self.b());
        let merged: Vec<_> = levels.iter_mut().take(through + 1).filter_map(Option::take).collect();

        let is_oldest = levels.iter().all(Option::is_none);
        let newest = self.sorted_batch(batch)?;
        let run = self.merged(newest, &merged, is_oldest)?;
        drop(merged);
        place(&mut levels, run, self.b());
        if self.wants_cleanup(&levels) {
            levels = self.cleaned_up(&levels)?;
        }
        self.levels = levels;
        Ok(())
    }

    /// Deletes keys that are on the device.
    pub(crate) fn delete(&mut self, keys: B::Array<K>) -> Result<()> {
        self.check_batch(keys.len())?;
        let marks = Some(self.backend.marks(0, keys.len())?);
        self.apply(Columns { keys, values: self.backend.upload(&[])?, marks })
    }

    /// Merges all runs into one without tombstones, or fails and changes nothing.
    pub(crate) fn cleanup(&mut self) -> Result<()> {
        self.backend.alive()?;
        if self.runs().count() > 1 {
            self.levels = self.cleaned_up(&self.levels)?;
        }
        Ok(())
    }

    fn sorted_batch(&self, batch: Columns<B, K, V>) -> Result<Pile<B, K, V>> {
        let Columns { keys, values, marks } = batch;
        let sorted = self.backend.sort(&keys)?;
        drop(keys);
        Ok(self.backend.arrange(&sorted, &values, marks.as_ref())?)
    }

    /// One run from a pile and older runs, newest first. Where nothing older is left, tombstones go.
    fn merged(&self, newest: Pile<B, K, V>, older: &[Run<B, K, V>], is_oldest: bool) -> Result<Run<B, K, V>> {
        let tombstones = if is_oldest { Tombstones::Drop } else { Tombstones::Keep };
        let Some((oldest, between)) = older.split_last() else {
            return Ok(self.backend.settle(newest, None, tombstones)?);
        };
        let mut pile = newest;
        for run in between {
            let [newer, older] = self.to_merge(pile, run)?;
            pile = self.backend.merge(&newer, &older)?;
        }
        let [newer, older] = self.to_merge(pile, oldest)?;
        Ok(self.backend.settle(newer, Some(older), tombstones)?)
    }

    /// A pile and the next older run; where all of both is too much for an array, what stays of both, which may not be.
    fn to_merge(&self, newer: Pile<B, K, V>, older: &Run<B, K, V>) -> Result<[Pile<B, K, V>; 2]> {
        let older = older.pile();
        match check_entries::<B, K, V>(&self.backend, (newer.len + older.len) as u64) {
            Ok(()) => Ok([newer, older]),
            Err(_) => Ok(self.backend.shortened(&newer, &older)?),
        }
    }

    fn wants_cleanup(&self, levels: &Levels<B, K, V>) -> bool {
        let entries = lens(levels).iter().sum();
        let tombstones = levels.iter().flatten().map(|run| run.tombstones as u64).sum();
        let oldest = levels.iter().flatten().next_back().map_or(0, |run| run.len as u64);
        levels::wants_cleanup(entries, oldest, tombstones, self.b())
    }

    /// The levels with one run in place of all.
    fn cleaned_up(&self, levels: &Levels<B, K, V>) -> Result<Levels<B, K, V>> {
        let runs: Vec<_> = levels.iter().flatten().cloned().collect();
        let mut cleaned = Levels::new();
        place(&mut cleaned, self.merged_runs(&runs)?, self.b());
        Ok(cleaned)
    }

    /// One run of what is live in runs, newest first.
    pub(crate) fn merged_runs(&self, runs: &[Run<B, K, V>]) -> Result<Run<B, K, V>> {
        match runs.split_first() {
            Some((newest, older)) => self.merged(newest.pile(), older, true),
            None => Ok(Run::empty(&self.backend)?),
        }
    }
}
