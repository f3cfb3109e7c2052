//! The dictionary, generic over the backend: its levels, and the stretches of keys known to be dead.

use crate::config::{Config, reserve};
use crate::dead::DeadStretches;
use crate::error::{BackendError, Result};
use crate::levels::{Levels, PlacedRun};
use crate::statistics::{LevelStatistics, Statistics};
use gpu_lsm_primitives::{Backend, Code, Value};
use std::sync::{Arc, Mutex};

/// The state of a dictionary. An update builds its runs separately and replaces the levels at the end.
#[derive(Clone)]
pub(crate) struct Core<B: Backend, K: Code, V: Value> {
    pub(crate) backend: B,
    pub(crate) config: Config,
    pub(crate) levels: Levels<B, K, V>,
    /// The stretches that are known to be dead. Shared by all snapshots with the same levels.
    pub(crate) dead: Arc<Mutex<DeadStretches<K>>>,
}

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    pub(crate) fn new(backend: B, config: Config) -> Result<Self> {
        backend.alive()?;
        backend.supports::<K>()?;
        Ok(Self { backend, config, levels: Levels::default(), dead: Arc::default() })
    }

    pub(crate) fn b(&self) -> u64 {
        self.config.batch_size() as u64
    }

    /// The runs, newest first.
    pub(crate) fn runs(&self) -> impl DoubleEndedIterator<Item = &PlacedRun<B, K, V>> {
        self.levels.runs()
    }

    /// The runs, newest first; one empty run if there are none.
    pub(crate) fn whole_runs(&self) -> Result<Vec<PlacedRun<B, K, V>>> {
        let runs: Vec<_> = self.runs().cloned().collect();
        if runs.is_empty() { Ok(vec![PlacedRun::empty(&self.backend)?]) } else { Ok(runs) }
    }

    /// The runs without their values, newest first; one empty run if there are none.
    pub(crate) fn keys_of_runs(&self) -> Result<Vec<PlacedRun<B, K, ()>>> {
        self.whole_runs()?.iter().map(|run| run.without_values(&self.backend)).collect()
    }

    /// Sets the byte budget, unless it is too small to delete the entries within it.
    pub(crate) fn set_byte_budget(&mut self, bytes: Option<u64>) -> Result<()> {
        // Snapshots in other threads share the meter, so a refused budget never gets there.
        let meter = self.backend.meter();
        self.check_reserve(&self.levels, meter.in_use(), bytes.unwrap_or(u64::MAX))?;
        meter.set_budget(bytes);
        self.config = self.config.with_budget(bytes);
        Ok(())
    }

    /// Refuses levels if deletes and cleanups, with no snapshot alive, might not be able to shrink them within a budget.
    pub(crate) fn check_reserve(&self, levels: &Levels<B, K, V>, in_use: u64, budget: u64) -> Result<()> {
        let needed = reserve::<K, V>(levels.positive_entries(), self.b());
        if needed <= budget {
            return Ok(());
        }
        Err(BackendError::OverBudget { needed: needed.saturating_sub(in_use), in_use, budget }.into())
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let level = |(level, run): (usize, &PlacedRun<B, K, V>)| LevelStatistics {
            level,
            entries: run.len as u64,
            tombstones: run.tombstones as u64,
            bytes: run.bytes(),
        };
        Statistics {
            levels: self.levels.by_level().map(level).collect(),
            entries: self.levels.entries(),
            tombstones: self.levels.tombstones(),
            bytes: self.levels.bytes(),
            bytes_in_use: self.backend.meter().in_use(),
            peak_bytes: self.backend.meter().peak(),
            engine_bytes: self.backend.engine_bytes(),
            traffic: self.backend.meter().traffic(),
        }
    }
}
