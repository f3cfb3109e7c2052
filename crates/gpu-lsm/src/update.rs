//! update: in two steps. `prepare` does everything that can fail and leaves the dictionary as it is. `commit` cannot
//! fail.

use crate::core::Core;
use crate::dead::DeadStretches;
use crate::error::{BackendError, Error, Result};
use crate::intervals::{Intervals, Slices};
use crate::levels::{Levels, RunId};
use crate::operations::Operations;
use gpu_lsm_primitives::{Array, Backend, Code, Meter, Pile, Value, Way, check_entries};
use std::sync::{Arc, Mutex, PoisonError};

/// At most this many entries per interval are few.
const FEW: u64 = 256;

/// An update that is ready. It takes effect when it is committed, and has no effect if it is dropped.
#[derive(Clone)]
pub(crate) struct Prepared<B: Backend, K: Code, V: Value> {
    levels: Levels<B, K, V>,
    dead: Arc<Mutex<DeadStretches<K>>>,
    /// The dictionary and the runs that it was prepared from.
    meter: Arc<Meter>,
    from: Vec<RunId>,
}

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// Checks that the device can take a batch of this many operations.
    pub(crate) fn check_batch(&self, operations: usize) -> Result<()> {
        self.backend.alive()?;
        Ok(check_entries::<B, K, V>(&self.backend, operations as u64)?)
    }

    /// Makes a prepared update the dictionary's state. It must have been prepared from the current state.
    pub(crate) fn commit(&mut self, prepared: Prepared<B, K, V>) {
        assert!(Arc::ptr_eq(&prepared.meter, self.backend.meter()), "another dictionary prepared it");
        assert_eq!(prepared.from, self.levels.ids(), "the dictionary changed in between");
        self.levels = prepared.levels;
        self.dead = prepared.dead;
    }

    /// Prepares a batch. `may_insert_in` says whether the batch may insert a key between two others, both inclusive; deletes
    /// among columns count as inserts. It is `None` if the keys are on the device: then any key from the smallest to the
    /// largest may be inserted, and where dead stretches are remembered, these two are read, in another wait.
    pub(crate) fn prepare(
        &self,
        batch: Operations<B, K, V>,
        may_insert_in: Option<impl Fn(K, K) -> bool>,
    ) -> Result<Prepared<B, K, V>> {
        if batch.len() == 0 {
            return Ok(self.unchanged());
        }
        let mut dead = self.known_dead();
        let batch = self.sorted(batch)?;
        // The merge takes the batch, so its two keys are copied here. Reading them here would wait before the merge is launched.
        let extent = match may_insert_in {
            None if !dead.is_empty() => Some(self.extent(&batch)?),
            _ => None,
        };
        let levels = self.with_batch(batch)?;
        self.check_reserve(&levels, self.levels.bytes(), self.backend.meter().budget())?;
        if let Some(may_insert_in) = may_insert_in {
            dead.retain(|first, last| !may_insert_in(first, last));
        } else if let Some(extent) = extent {
            let extent = self.backend.download(&extent, 2)?;
            dead.retain(|first, last| extent[1] < first || last < extent[0]);
        }
        Ok(self.prepared(levels, dead))
    }

    /// The smallest and the largest key of a batch. Does not wait.
    fn extent(&self, batch: &Pile<B, K, V>) -> Result<B::Array<K>> {
        let backend = &self.backend;
        let mut extent = backend.room(2)?;
        for (to, from) in [0, batch.len - 1].into_iter().enumerate() {
            backend.copy_into(&backend.slice(&batch.keys, from..from + 1)?, 1, &mut extent, to)?;
        }
        Ok(extent)
    }

    /// Prepares deletes of the keys that `on_device` uploads or, if the budget is too small for the usual way, of those
    /// that `on_host` returns.
    pub(crate) fn prepare_delete(
        &self,
        operations: usize,
        on_device: impl FnOnce(&B) -> Result<B::Array<K>>,
        on_host: impl FnOnce(&B) -> Result<Vec<K>>,
    ) -> Result<Prepared<B, K, V>> {
        self.check_batch(operations)?;
        if !self.levels.has_runs() {
            return Ok(self.unchanged());
        }
        let usual = on_device(&self.backend).and_then(|keys| self.with_deletes(keys));
        let levels = usual_or(usual, || {
            let mut keys = on_host(&self.backend)?;
            keys.sort_unstable();
            keys.dedup();
            self.frugally_deleted(&keys, operations)
        })?;
        Ok(self.prepared(levels, self.known_dead()))
    }

    /// Prepares deletes of the live keys in intervals on the host.
    pub(crate) fn prepare_delete_in(&self, intervals: Slices<'_, K>) -> Result<Prepared<B, K, V>> {
        self.prepare_emptied(intervals, |united| {
            let usual = self.keys_in_slices(united).and_then(|keys| self.with_deletes(keys));
            usual_or(usual, || {
                let keys = self.frugal_keys_in(united)?;
                self.frugally_deleted(&keys, keys.len())
            })
        })
    }

    /// The same in little memory: what stays becomes one run, so that it fits an array.
    pub(crate) fn prepare_frugal_delete_in(&self, intervals: Slices<'_, K>) -> Result<Prepared<B, K, V>> {
        self.prepare_emptied(intervals, |united| self.frugally_cleaned_up(&self.frugal_keys_in(united)?))
    }

    /// Prepares what `without` makes of the levels: they have no live key in intervals, which it gets without overlaps, in
    /// ascending order, and from behind dead stretches on.
    fn prepare_emptied(
        &self,
        intervals: Slices<'_, K>,
        without: impl FnOnce(Slices<'_, K>) -> Result<Levels<B, K, V>>,
    ) -> Result<Prepared<B, K, V>> {
        self.backend.alive()?;
        if !self.levels.has_runs() {
            return Ok(self.unchanged());
        }
        let (lower, upper) = intervals.united(self.backend.meter())?;
        // A queue always deletes from its very beginning.
        let starts = self.past_the_dead(&lower, Way::Up)?;
        let levels = without(Slices { lower: &starts, upper: &upper, ..intervals })?;
        let mut dead = self.known_dead();
        dead.learn_few(&lower, &upper);
        Ok(self.prepared(levels, dead))
    }

    /// Prepares deletes of these keys in little memory: what stays becomes one run, so that it fits an array.
    pub(crate) fn prepare_frugal_delete(&self, mut keys: Vec<K>) -> Result<Prepared<B, K, V>> {
        self.backend.alive()?;
        if !self.levels.has_runs() {
            return Ok(self.unchanged());
        }
        keys.sort_unstable();
        keys.dedup();
        Ok(self.prepared(self.frugally_cleaned_up(&keys)?, self.known_dead()))
    }

    /// Prepares deletes of the live keys in intervals on the device if the intervals have few entries each. Otherwise
    /// returns `None`: many intervals may share entries and are better united on the host first. Waits for the number
    /// of entries.
    pub(crate) fn prepare_delete_few_in(
        &self,
        intervals: &Intervals<B, K>,
    ) -> Result<Option<Prepared<B, K, V>>> {
        self.backend.alive()?;
        let runs = self.keys_of_runs()?;
        let hits = self.hits(&runs, intervals)?;
        let found = match self.found(&hits, FEW * intervals.lower.len() as u64) {
            Err(Error::TooManyCandidates { .. }) => return Ok(None),
            found => found?,
        };
        let keys = self.exact(found)?.entries.keys;
        drop(hits);
        Ok(Some(self.prepared(self.with_deletes(keys)?, self.known_dead())))
    }

    /// Prepares a merge of all runs into one without tombstones.
    pub(crate) fn prepare_cleanup(&self) -> Result<Prepared<B, K, V>> {
        self.backend.alive()?;
        if self.runs().count() <= 1 {
            return Ok(self.unchanged());
        }
        let levels = usual_or(self.cleaned_up(&self.levels), || self.frugally_cleaned_up(&[]))?;
        Ok(self.prepared(levels, self.known_dead()))
    }

    /// Prepares the removal of everything. Does not wait.
    pub(crate) fn prepare_clear(&self) -> Result<Prepared<B, K, V>> {
        self.backend.alive()?;
        Ok(self.prepared(Levels::default(), DeadStretches::default()))
    }

    /// New levels with their own memory of dead stretches: snapshots keep theirs.
    fn prepared(&self, levels: Levels<B, K, V>, dead: DeadStretches<K>) -> Prepared<B, K, V> {
        Prepared { levels, dead: Arc::new(Mutex::new(dead)), ..self.unchanged() }
    }

    fn unchanged(&self) -> Prepared<B, K, V> {
        Prepared {
            levels: self.levels.clone(),
            dead: Arc::clone(&self.dead),
            meter: Arc::clone(self.backend.meter()),
            from: self.levels.ids(),
        }
    }

    /// The levels after deletes.
    fn with_deletes(&self, keys: B::Array<K>) -> Result<Levels<B, K, V>> {
        self.check_batch(keys.len())?;
        if keys.is_empty() {
            return Ok(self.levels.clone());
        }
        self.with_batch(self.sorted(Operations::deletes(&self.backend, keys)?)?)
    }

    fn known_dead(&self) -> DeadStretches<K> {
        self.dead.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The levels of the usual way or, if the byte budget was too small for it, those of the frugal way.
fn usual_or<L>(usual: Result<L>, frugal: impl FnOnce() -> Result<L>) -> Result<L> {
    match usual {
        Err(error) if is_over_budget(&error) => frugal(),
        levels => levels,
    }
}

/// Whether the byte budget was too small.
pub(crate) fn is_over_budget(error: &Error) -> bool {
    matches!(error, Error::Backend(BackendError::OverBudget { .. }))
}
