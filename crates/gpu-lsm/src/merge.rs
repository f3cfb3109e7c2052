//! merge: one run from a batch and the runs that it is merged with, newest first.

use crate::core::Core;
use crate::error::Result;
use crate::levels::{Levels, PlacedRun};
use crate::operations::Operations;
use gpu_lsm_primitives::{Backend, Code, Pile, Run, Tombstones, Value, check_entries};

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// The levels after a sorted batch is merged in; if the space rule requires it, all runs are merged too. The batch is
    /// not empty.
    pub(crate) fn with_batch(&self, batch: Pile<B, K, V>) -> Result<Levels<B, K, V>> {
        let mut levels = self.levels.clone();
        let merged = levels.take_for(batch.len as u64, self.b());
        let is_oldest = !levels.has_runs();
        let run = self.merged(batch, &merged, is_oldest)?;
        drop(merged);
        levels.place(run, self.b());
        if levels.want_cleanup(self.b()) { self.cleaned_up(&levels) } else { Ok(levels) }
    }

    /// One run of all live entries, in place of all others.
    pub(crate) fn cleaned_up(&self, levels: &Levels<B, K, V>) -> Result<Levels<B, K, V>> {
        let runs: Vec<_> = levels.runs().cloned().collect();
        let Some((newest, older)) = runs.split_first() else { return Ok(Levels::default()) };
        Ok(Levels::of(self.merged(newest.pile(), older, true)?, self.b()))
    }

    /// A batch in the order of its keys. Does not wait.
    pub(crate) fn sorted(&self, batch: Operations<B, K, V>) -> Result<Pile<B, K, V>> {
        let Operations { keys, values, marks } = batch;
        let sorted = self.backend.sort(&keys)?;
        drop(keys);
        Ok(self.backend.arrange(&sorted, &values, marks.as_ref())?)
    }

    /// One run from a pile and older runs, newest first. Tombstones are dropped if nothing older is left.
    fn merged(
        &self,
        newest: Pile<B, K, V>,
        older: &[PlacedRun<B, K, V>],
        is_oldest: bool,
    ) -> Result<Run<B, K, V>> {
        let tombstones = if is_oldest { Tombstones::Drop } else { Tombstones::Keep };
        let older: Vec<_> = older.iter().map(|run| run.pile()).collect();
        let entries = newest.len + older.iter().map(|pile| pile.len).sum::<usize>();
        match check_entries::<B, K, V>(&self.backend, entries as u64) {
            Ok(()) => Ok(self.backend.settle(newest, older, tombstones)?),
            Err(_) => self.merged_in_turn(newest, older, tombstones),
        }
    }

    /// The same, if all piles together exceed an array, but may fit without their hidden entries.
    fn merged_in_turn(
        &self,
        newest: Pile<B, K, V>,
        mut older: Vec<Pile<B, K, V>>,
        tombstones: Tombstones,
    ) -> Result<Run<B, K, V>> {
        let mut pile = newest;
        let oldest = older.pop();
        for older in older {
            let [newer, older] = self.to_merge(pile, older)?;
            pile = self.backend.merge(&newer, &older)?;
        }
        match oldest {
            Some(oldest) => {
                let [newer, older] = self.to_merge(pile, oldest)?;
                Ok(self.backend.settle(newer, vec![older], tombstones)?)
            }
            None => Ok(self.backend.settle(pile, Vec::new(), tombstones)?),
        }
    }

    /// A pile and the next older one. If both together exceed an array: both without their hidden entries, which may
    /// fit.
    fn to_merge(&self, newer: Pile<B, K, V>, older: Pile<B, K, V>) -> Result<[Pile<B, K, V>; 2]> {
        match check_entries::<B, K, V>(&self.backend, (newer.len + older.len) as u64) {
            Ok(()) => Ok([newer, older]),
            Err(_) => Ok(self.backend.shortened(&newer, &older)?),
        }
    }
}
