//! update: sort the batch, merge it with the newest runs, replace the list of runs.

use crate::core::{Core, Levels, lens, place};
use crate::error::{BackendError, Error, Result};
use crate::levels;
use crate::pieces::Slices;
use crate::range::{Intervals, total};
use gpu_lsm_primitives::{Array, Backend, Key, Pile, Run, Tombstones, Value, Way, check_entries};
use std::sync::{Arc, Mutex, PoisonError};

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
        let in_use = self.runs().map(Run::bytes).sum();
        let levels = self.prepared(batch)?;
        self.check_reserve(&levels, in_use)?;
        self.levels = levels;
        Ok(())
    }

    /// The levels as they are to be after a batch.
    fn prepared(&self, batch: Columns<B, K, V>) -> Result<Levels<B, K, V>> {
        let mut levels = self.levels.clone();
        let operations = batch.keys.len();
        if operations == 0 {
            return Ok(levels);
        }
        let through = levels::merge_through(&lens(&levels), operations as u64, self.b());
        let merged: Vec<_> = levels.iter_mut().take(through + 1).filter_map(Option::take).collect();

        let is_oldest = levels.iter().all(Option::is_none);
        let newest = self.sorted_batch(batch)?;
        let run = self.merged(newest, &merged, is_oldest)?;
        drop(merged);
        place(&mut levels, run, self.b());
        if self.wants_cleanup(&levels) {
            levels = self.cleaned_up(&levels)?;
        }
        Ok(levels)
    }

    /// Deletes keys: those that `on_device` brings there or, where the budget is too small for the usual way, those that
    /// `on_host` has.
    pub(crate) fn delete(
        &mut self,
        operations: usize,
        on_device: impl FnOnce(&B) -> Result<B::Array<K>>,
        on_host: impl FnOnce(&B) -> Result<Vec<K>>,
    ) -> Result<()> {
        self.check_batch(operations)?;
        if self.has_no_runs() {
            return Ok(());
        }
        let usual = on_device(&self.backend).and_then(|keys| self.prepared_deletes(keys));
        self.commit_deletes(usual, |core| {
            let mut keys = on_host(&core.backend)?;
            keys.sort_unstable();
            keys.dedup();
            core.frugally_deleted(&keys, operations)
        })
    }

    /// Deletes the live keys in intervals on the host.
    pub(crate) fn delete_in(&mut self, intervals: Slices<'_, K>) -> Result<()> {
        self.backend.alive()?;
        if self.has_no_runs() {
            return Ok(());
        }
        let (lower, upper) = intervals.united(self.backend.meter())?;
        // A queue deletes from its very beginning, turn after turn.
        let starts = self.past_the_dead(&lower, Way::Up)?;
        let united = Slices { lower: &starts, upper: &upper, ..intervals };
        let usual = self.keys_in_slices(united).and_then(|keys| self.prepared_deletes(keys));
        self.commit_deletes(usual, |core| {
            let keys = core.frugal_keys_in(united)?;
            core.frugally_deleted(&keys, keys.len())
        })?;
        self.learn_deleted(&lower, &upper);
        Ok(())
    }

    /// Deletes the live keys in intervals on the device, if they have few entries each; else says that it did not. So many
    /// entries may be the same for many intervals, which are united on the host first. Waits for how many there are.
    pub(crate) fn has_deleted_few_in(&mut self, intervals: &Intervals<B, K>) -> Result<bool> {
        self.backend.alive()?;
        let runs = self.keys_of_runs()?;
        let hits = self.hits(&runs, intervals)?;
        if total(&hits) > FEW * intervals.lower.len() as u64 {
            return Ok(false);
        }
        let keys = self.exact(self.found(&hits, u64::MAX)?)?.entries.keys;
        drop(hits);
        self.levels = self.prepared_deletes(keys)?;
        self.remember_dead(|_, _| true);
        Ok(true)
    }

    /// Whether there is nothing to delete, for which then no memory is needed.
    fn has_no_runs(&self) -> bool {
        self.runs().next().is_none()
    }

    /// The levels as they are to be after deletes.
    fn prepared_deletes(&self, keys: B::Array<K>) -> Result<Levels<B, K, V>> {
        self.check_batch(keys.len())?;
        let marks = Some(self.backend.marks(0, keys.len())?);
        self.prepared(Columns { keys, values: self.backend.upload(&[])?, marks })
    }

    /// Replaces the levels by what the usual way gave or, if the budget was too small for that, by what the frugal one gives.
    fn commit_deletes(
        &mut self,
        usual: Result<Levels<B, K, V>>,
        frugal: impl FnOnce(&Self) -> Result<Levels<B, K, V>>,
    ) -> Result<()> {
        self.levels = match usual {
            Err(error) if is_over_budget(&error) => frugal(self)?,
            levels => levels?,
        };
        self.remember_dead(|_, _| true);
        Ok(())
    }

    /// Takes over, from the levels before an update, the stretches of keys that are still dead. Snapshots keep their own.
    pub(crate) fn remember_dead(&mut self, is_dead: impl FnMut(K, K) -> bool) {
        let mut dead = self.dead.lock().unwrap_or_else(PoisonError::into_inner).clone();
        dead.retain(is_dead);
        self.dead = Arc::new(Mutex::new(dead));
    }

    /// Merges all runs into one without tombstones, or fails and changes nothing.
    pub(crate) fn cleanup(&mut self) -> Result<()> {
        self.backend.alive()?;
        if self.runs().count() > 1 {
            let usual = self.cleaned_up(&self.levels);
            self.commit_deletes(usual, |core| core.frugally_cleaned_up(&[]))?;
        }
        Ok(())
    }

    /// Drops everything. Does not wait.
    pub(crate) fn clear(&mut self) -> Result<()> {
        self.backend.alive()?;
        self.levels = Levels::new();
        self.dead = Arc::default();
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

/// How many entries for each interval are few.
const FEW: u64 = 256;

/// Whether the byte budget was too small.
pub(crate) fn is_over_budget(error: &Error) -> bool {
    matches!(error, Error::Backend(BackendError::OverBudget { .. }))
}
