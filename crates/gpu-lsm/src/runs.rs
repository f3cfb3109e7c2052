//! Runs that leave their device, and dictionaries made of such runs: the basis of stores.

use crate::backed::on_backend;
use crate::config::Config;
use crate::core::Core;
use crate::device::Device;
use crate::dictionary::Dictionary;
use crate::error::{BackendError, Error, Result};
use crate::key::Key;
use crate::levels::RunId;
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::{Backend, Code, Columns, Run, Value};

/// The facts about a run that a manifest records.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RunInfo<K> {
    /// Its identity: the same in every snapshot that has the run, and different from that of any other run of this
    /// process.
    pub id: RunId,
    /// Its level.
    pub level: usize,
    /// Its entries, tombstones included.
    pub entries: u64,
    /// The number of these that are tombstones.
    pub tombstones: u64,
    /// Its smallest key.
    pub first: K,
    /// Its largest key.
    pub last: K,
}

impl<K: Key, V: Value> Snapshot<K, V> {
    /// The runs, newest first. Waits for the device at each run whose first and last keys are not known yet.
    ///
    /// For stores. Not public yet.
    ///
    /// # Errors
    /// If the device fails.
    #[doc(hidden)]
    pub fn runs(&self) -> Result<Vec<RunInfo<K>>> {
        on_backend!(&self.inner, core => core.levels.by_level().map(|(level, run)| {
            let (first, last) = run.ends(&core.backend)?;
            let (first, last) = (K::from_code(first), K::from_code(last));
            let (entries, tombstones) = (run.len as u64, run.tombstones as u64);
            Ok(RunInfo { id: run.id, level, entries, tombstones, first, last })
        }).collect())
    }

    /// The entries of a run, with the codes of their keys; `None` if this snapshot has no such run. Waits for the
    /// device.
    ///
    /// For stores. Not public yet.
    ///
    /// # Errors
    /// If the device fails or the host runs out of memory.
    #[doc(hidden)]
    pub fn run_columns(&self, id: RunId) -> Result<Option<Columns<K::Code, V>>> {
        on_backend!(&self.inner, core => {
            let run = core.runs().find(|run| run.id == id);
            Ok(run.map(|run| run.to_columns(&core.backend)).transpose()?)
        })
    }
}

impl<K: Key, V: Value> Dictionary<K, V> {
    /// Makes a dictionary of runs, newest first, each with its level. The runs are taken one by one, so the host's
    /// memory need hold only one at a time. Waits for the device at each run.
    ///
    /// For stores. Not public yet.
    ///
    /// # Errors
    /// [`BackendError::Malformed`] if a run, or all runs together, break a rule of dictionaries with these options;
    /// [`BackendError::OverBudget`] if the byte budget is too small for them; any error that the iterator returns; or an
    /// error of the device.
    #[doc(hidden)]
    pub fn from_runs(
        device: &Device,
        config: Config,
        runs: impl IntoIterator<Item = Result<(usize, Columns<K::Code, V>)>>,
    ) -> Result<Self> {
        let mut dictionary = Self::with_config(device, config)?;
        on_backend!(&mut dictionary.current.inner, core => core.take_runs(runs))?;
        Ok(dictionary)
    }

    /// Goes back to the state of one of this dictionary's own snapshots. Copies nothing and does not wait. The byte budget
    /// stays as it is.
    ///
    /// For stores: an update that could not be made durable is undone. Not public yet.
    #[doc(hidden)]
    pub fn rewind(&mut self, to: &Snapshot<K, V>) {
        let config = *self.config();
        self.current = to.clone();
        on_backend!(&mut self.current.inner, core => core.config = config);
    }
}

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// Fills an empty dictionary.
    pub(crate) fn take_runs(
        &mut self,
        runs: impl IntoIterator<Item = Result<(usize, Columns<K, V>)>>,
    ) -> Result<()> {
        for run in runs {
            let (level, columns) = run?;
            self.levels.check_below(level, columns.keys.len()).map_err(malformed)?;
            self.levels.place_below(level, Run::from_columns(&self.backend, columns)?);
        }
        match self.levels.broken_rule(self.b()) {
            Some((level, what)) => Err(malformed(format!("level {level}: {what}"))),
            None => self.check_reserve(&self.levels, 0, self.backend.meter().budget()),
        }
    }
}

fn malformed(what: String) -> Error {
    BackendError::Malformed { what }.into()
}
