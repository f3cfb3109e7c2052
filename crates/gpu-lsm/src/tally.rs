//! tally: how each run changes the set of keys. Made on demand and kept with the run.

use crate::core::Core;
use crate::error::{BackendError, Result};
use crate::levels::PlacedRun;
use gpu_lsm_primitives::{Backend, Code, Tally, Turn, Value};

/// The most entries of a run whose changes fit 32 bits if they may both add and remove keys. The oldest run only adds
/// keys and may have twice as many.
pub(crate) const MOST_CHANGES: usize = i32::MAX as usize;

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// Makes the missing tallies. Waits for each.
    pub(crate) fn make_tallies(&self, runs: &[PlacedRun<B, K, ()>]) -> Result<()> {
        for (i, run) in runs.iter().enumerate() {
            if run.tally().is_none() {
                run.keep_tally(self.tally(run, &runs[i + 1..])?);
            }
        }
        Ok(())
    }

    /// How a run changes the set of keys of the older runs.
    pub(crate) fn tally(&self, run: &PlacedRun<B, K, ()>, older: &[PlacedRun<B, K, ()>]) -> Result<Tally<B>> {
        if run.len > MOST_CHANGES && !older.is_empty() {
            let (entries, limit) = (run.len as u64, MOST_CHANGES as u64);
            return Err(BackendError::TooLarge { entries, entry_bytes: 0, limit }.into());
        }
        if older.is_empty() {
            return Ok(Tally { words: self.backend.upload(&[])?, total: run.len as i64 });
        }
        let keys = self.backend.slice(&run.keys, 0..run.len)?;
        let mut answers = self.backend.answers(run.len)?;
        for (i, other) in older.iter().enumerate() {
            let turn = Turn { first: i == 0, last: i + 1 == older.len() };
            self.backend.search(other, &keys, &mut answers, turn)?;
        }
        Ok(self.backend.tally(run, &answers.found)?)
    }
}

/// Whether all runs of these lengths, newest first, can have tallies.
pub(crate) fn can_tally(lens: impl ExactSizeIterator<Item = usize>) -> bool {
    let newer = lens.len().saturating_sub(1);
    lens.take(newer).all(|len| len <= MOST_CHANGES)
}

/// Whether a run is known to hide nothing in older runs and to have no tombstones: each of its entries adds a key.
pub(crate) fn hides_nothing<B: Backend, K: Code, W: Value>(run: &PlacedRun<B, K, W>) -> bool {
    run.tally().is_some_and(|tally| tally.total == run.len as i64)
}

/// The number of entries in runs that need a tally and have none. The oldest run needs none.
pub(crate) fn untallied<B: Backend, K: Code, W: Value>(runs: &[PlacedRun<B, K, W>]) -> u64 {
    let newer = &runs[..runs.len() - 1];
    newer.iter().filter(|run| run.tally().is_none()).map(|run| run.len as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::{MOST_CHANGES, can_tally};

    #[test]
    fn only_the_oldest_run_can_be_tallied_past_2_to_the_31_entries() {
        assert!(can_tally([].into_iter()));
        assert!(can_tally([1, MOST_CHANGES, MOST_CHANGES + 1].into_iter()));
        assert!(!can_tally([1, MOST_CHANGES + 1, MOST_CHANGES + 2].into_iter()));
        assert!(!can_tally([MOST_CHANGES + 1, 1].into_iter()));
    }
}
