//! count and len: how many live entries there are, by subtraction.
//!
//! A run's tally says how its entries change which keys there are, so what the tallies of all runs come to between two
//! keys is how many live entries are there, however many that are. A tally costs a lookup of each of a run's keys in the
//! older runs. So it is made where that is not more work than to lay out what is asked for; then it stays with the run.

use crate::core::Core;
use crate::error::Result;
use crate::range::{Intervals, total};
use gpu_lsm_primitives::{Backend, Key, Run, Tally, Turn, Value};

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    /// How many live entries each interval has; refused where they have more than `most` candidates and tallies are
    /// missing. Waits once, for how many candidates there are, and for each tally that it makes; not where all are there.
    pub(crate) fn count(&self, intervals: &Intervals<B, K>, most: u64) -> Result<B::Array<u32>> {
        self.backend.alive()?;
        let runs = self.keys_of_runs()?;
        let untallied = untallied(&runs);
        if untallied == 0 {
            self.make_tallies(&runs)?;
            return self.tallied(&runs, intervals);
        }
        let mut hits = self.hits(&runs, intervals)?;
        if let [only] = &hits[..]
            && only.run.marks.is_none()
        {
            return Ok(hits.remove(0).bounds.lens);
        }
        if total(&hits) >= untallied {
            drop(hits);
            self.make_tallies(&runs)?;
            return self.tallied(&runs, intervals);
        }
        let live = self.live_entries(&hits, most)?;
        Ok(self.backend.clip(&live.offsets, u32::MAX)?.lens)
    }

    /// How many live entries there are. Waits for each tally that it makes.
    pub(crate) fn len(&self) -> Result<u64> {
        self.backend.alive()?;
        self.make_tallies(&self.keys_of_runs()?)?;
        let totals = self.runs().filter_map(|run| Some(run.tally.get()?.total));
        Ok(totals.sum::<i64>().unsigned_abs())
    }

    fn tallied(&self, runs: &[Run<B, K, ()>], intervals: &Intervals<B, K>) -> Result<B::Array<u32>> {
        let mut counts = None;
        for run in runs {
            let tally = run.tally.get().expect("all runs have tallies");
            counts = Some(self.backend.tallied(run, tally, &intervals.lower, &intervals.upper, counts)?);
        }
        Ok(counts.expect("there is a run"))
    }

    /// Makes the tallies that are missing. Waits for each.
    pub(crate) fn make_tallies(&self, runs: &[Run<B, K, ()>]) -> Result<()> {
        for (i, run) in runs.iter().enumerate() {
            if run.tally.get().is_none() {
                let tally = self.tally(run, &runs[i + 1..])?;
                // Somebody else may have made the same in the meantime.
                run.tally.get_or_init(|| tally);
            }
        }
        Ok(())
    }

    /// How a run changes which keys there are.
    pub(crate) fn tally(&self, run: &Run<B, K, ()>, older: &[Run<B, K, ()>]) -> Result<Tally<B>> {
        if older.is_empty() {
            return Ok(Tally { words: self.backend.upload(&[])?, total: run.len as i64 });
        }
        let keys = self.backend.prefix(&run.keys, run.len)?;
        let mut answers = self.backend.answers(run.len)?;
        for (i, other) in older.iter().enumerate() {
            let turn = Turn { first: i == 0, last: i + 1 == older.len() };
            self.backend.search(other, &keys, &mut answers, turn)?;
        }
        Ok(self.backend.tally(run, &answers.found)?)
    }
}

/// Whether a run is known to hide nothing of older runs and to have no tombstones: each of its entries adds a key.
pub(crate) fn hides_nothing<B: Backend, K: Key, W: Value>(run: &Run<B, K, W>) -> bool {
    run.tally.get().is_some_and(|tally| tally.total == run.len as i64)
}

/// The entries of runs that have no tally; the oldest needs none.
pub(crate) fn untallied<B: Backend, K: Key, W: Value>(runs: &[Run<B, K, W>]) -> u64 {
    let newer = &runs[..runs.len() - 1];
    newer.iter().filter(|run| run.tally.get().is_none()).map(|run| run.len as u64).sum()
}
