//! verify: checks every rule of runs and levels on the host.

use crate::core::Core;
use crate::error::{Error, Result};
use crate::levels::PlacedRun;
use gpu_lsm_primitives::columns::{broken_marks, broken_order};
use gpu_lsm_primitives::{Array, Backend, Code, Tally, Value, reference};

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    pub(crate) fn verify(&self) -> Result<()> {
        self.backend.alive()?;
        for (level, run) in self.levels.by_level() {
            if let Some(what) = self.broken_rule(run)? {
                return Err(Error::Corrupt { level, what });
            }
        }
        self.verify_list()?;
        self.verify_tallies()
    }

    /// Checks the rules of levels that do not depend on the entries of runs.
    fn verify_list(&self) -> Result<()> {
        match self.levels.broken_rule(self.b()) {
            Some((level, what)) => Err(Error::Corrupt { level, what }),
            None => Ok(()),
        }
    }

    /// Checks that each tally is right for its run and the runs that are older now.
    fn verify_tallies(&self) -> Result<()> {
        let runs = self.keys_of_runs()?;
        for (i, (level, run)) in self.levels.by_level().enumerate() {
            let Some(tally) = run.tally() else { continue };
            let again = self.tally(&runs[i], &runs[i + 1..])?;
            let words = |tally: &Tally<B>| self.backend.download(&tally.words, tally.words.len());
            if tally.total != again.total || words(tally)? != words(&again)? {
                let what = "its tally is not that of its entries and what is older".into();
                return Err(Error::Corrupt { level, what });
            }
        }
        Ok(())
    }

    /// The first rule that a run breaks. Data that was read for one rule is dropped before the next.
    fn broken_rule(&self, run: &PlacedRun<B, K, V>) -> Result<Option<String>> {
        if run.len == 0 {
            return Ok(Some("it is empty".into()));
        }
        if let Some(what) = self.broken_keys(run)? {
            return Ok(Some(what));
        }
        let values = self.backend.download(&run.values, run.len)?;
        let marks = match &run.marks {
            Some(marks) => self.backend.download(marks, marks.len())?,
            None => Vec::new(),
        };
        let set: usize = marks.iter().map(|word| word.count_ones() as usize).sum();
        if set != run.tombstones {
            return Ok(Some(format!("{set} bits are set for {} tombstones", run.tombstones)));
        }
        Ok(broken_marks(&values, &marks))
    }

    /// The first rule that a run's keys or its index break.
    fn broken_keys(&self, run: &PlacedRun<B, K, V>) -> Result<Option<String>> {
        let keys = self.backend.download(&run.keys, run.len)?;
        if let Some(what) = broken_order(&keys) {
            return Ok(Some(what));
        }
        let index = self.backend.download(&run.index, run.index.len())?;
        let is_right = reference::index(&keys, index.len()).eq(index);
        Ok((!is_right).then(|| "its index is not that of its keys".into()))
    }
}
