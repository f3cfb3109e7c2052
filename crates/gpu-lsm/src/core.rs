//! The dictionary, generic over the backend: the list of runs, and what is known about them.

use crate::config::{Config, reserve};
use crate::dead::DeadStretches;
use crate::error::{BackendError, Result};
use crate::levels;
use crate::statistics::{LevelStatistics, Statistics, Traffic};
use gpu_lsm_primitives::{Backend, Key, Run, Value};
use std::sync::{Arc, Mutex};

/// The levels of a dictionary. An update builds its runs aside and replaces the list at its end.
#[derive(Clone)]
pub(crate) struct Core<B: Backend, K: Key, V: Value> {
    pub(crate) backend: B,
    pub(crate) config: Config,
    pub(crate) levels: Levels<B, K, V>,
    /// Where nothing is live, as far as somebody found out: shared by all who see the same levels.
    pub(crate) dead: Arc<Mutex<DeadStretches<K>>>,
}

/// At most one run for each level, the newest first.
pub(crate) type Levels<B, K, V> = Vec<Option<Run<B, K, V>>>;

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    pub(crate) fn new(backend: B, config: Config) -> Result<Self> {
        backend.alive()?;
        backend.supports::<K>()?;
        Ok(Self { backend, config, levels: Levels::new(), dead: Arc::default() })
    }

    pub(crate) fn b(&self) -> u64 {
        self.config.get_batch_size() as u64
    }

    /// The runs, newest first.
    pub(crate) fn runs(&self) -> impl DoubleEndedIterator<Item = &Run<B, K, V>> {
        self.levels.iter().flatten()
    }

    /// Sets the byte budget, unless what is there could not be deleted within it.
    pub(crate) fn set_byte_budget(&mut self, bytes: Option<u64>) -> Result<()> {
        let meter = self.backend.meter();
        let before = meter.budget();
        meter.set_budget(bytes);
        let check = self.check_reserve(&self.levels, meter.in_use());
        match check {
            Ok(()) => self.config = self.config.with_byte_budget(bytes),
            Err(_) => meter.set_budget(Some(before)),
        }
        check
    }

    /// Refuses levels that deletes and cleanups, with no snapshot alive, could not always shrink within the byte budget.
    pub(crate) fn check_reserve(&self, levels: &Levels<B, K, V>, in_use: u64) -> Result<()> {
        let meter = self.backend.meter();
        let positive = levels.iter().flatten().map(|run| (run.len - run.tombstones) as u64).sum();
        let (needed, budget) = (reserve::<K, V>(positive, self.b()), meter.budget());
        if needed <= budget {
            return Ok(());
        }
        Err(BackendError::OverBudget { needed: needed.saturating_sub(in_use), in_use, budget }.into())
    }

    fn traffic(&self) -> Traffic {
        let traffic = self.backend.meter().traffic();
        Traffic {
            uploaded: traffic.uploaded(),
            downloaded: traffic.downloaded(),
            waits: traffic.waits(),
            launches: traffic.launches(),
            moved: traffic.moved(),
        }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let level = |(level, run): (usize, &Option<Run<B, K, V>>)| {
            let run = run.as_ref()?;
            Some(LevelStatistics {
                level,
                entries: run.len as u64,
                tombstones: run.tombstones as u64,
                bytes: run.bytes(),
            })
        };
        let levels: Vec<_> = self.levels.iter().enumerate().filter_map(level).collect();
        Statistics {
            entries: levels.iter().map(|level| level.entries).sum(),
            tombstones: levels.iter().map(|level| level.tombstones).sum(),
            bytes: levels.iter().map(|level| level.bytes).sum(),
            bytes_in_use: self.backend.meter().in_use(),
            peak_bytes: self.backend.meter().peak(),
            engine_bytes: self.backend.engine_bytes(),
            traffic: self.traffic(),
            levels,
        }
    }
}

/// The length of the run on each level.
pub(crate) fn lens<B: Backend, K: Key, V: Value>(levels: &Levels<B, K, V>) -> Vec<u64> {
    levels.iter().map(|run| run.as_ref().map_or(0, |run| run.len as u64)).collect()
}

/// Puts a run on the lowest level that holds it; that level and all below are empty.
pub(crate) fn place<B: Backend, K: Key, V: Value>(levels: &mut Levels<B, K, V>, run: Run<B, K, V>, b: u64) {
    if run.len == 0 {
        return;
    }
    let level = levels::level_for(run.len as u64, b);
    if levels.len() <= level {
        levels.resize_with(level + 1, || None);
    }
    levels[level] = Some(run);
}
