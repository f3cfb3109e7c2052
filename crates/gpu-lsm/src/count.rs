//! count and len: how many live entries there are, by subtraction.
//!
//! A run's tally says how its entries change which keys there are, so what the tallies of all runs come to between two
//! keys is how many live entries are there, however many that are. A tally costs a lookup of each of a run's keys in the
//! older runs. So it is made where that is not more work than to lay out what is asked for; then it stays with the run.

use crate::core::Core;
use crate::error::{BackendError, Result};
use crate::hits::total;
use crate::intervals::Intervals;
use crate::levels::PlacedRun;
use crate::lists::wide;
use crate::tally::{MOST_CHANGES, untallied};
use gpu_lsm_primitives::{Array, Backend, Key, Value};

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    /// How many live entries each interval has; refused where they have more than `most` candidates and tallies are
    /// missing, and where they may be more than 32 bits can count. Waits once, for how many candidates there are, and for
    /// each tally that it makes; not where all are there.
    pub(crate) fn count(&self, intervals: &Intervals<B, K>, most: u64) -> Result<B::Array<u32>> {
        self.backend.alive()?;
        let runs = self.keys_of_runs()?;
        self.check_counts(&runs)?;
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
        let live = self.found(&hits, most)?.candidates;
        Ok(self.backend.clip(&live.offsets, u32::MAX)?.lens)
    }

    /// The same on the host, in 64 bits.
    pub(crate) fn count_on_host(&self, intervals: &Intervals<B, K>, most: u64) -> Result<Vec<u64>> {
        let runs = self.keys_of_runs()?;
        if self.check_counts(&runs).is_err() {
            self.make_tallies(&runs)?;
            return self.tallied_wide(&runs, intervals);
        }
        let counts = self.backend.download(&self.count(intervals, most)?, intervals.lower.len())?;
        wide(self.backend.meter(), counts)
    }

    /// Refuses to count where all entries together are more than can be counted in 32 bits.
    fn check_counts(&self, runs: &[PlacedRun<B, K, ()>]) -> Result<()> {
        let entries = runs.iter().map(|run| run.len as u64).sum();
        let limit = self.backend.max_len(0);
        if entries <= limit {
            return Ok(());
        }
        Err(BackendError::TooLarge { entries, entry_bytes: 0, limit }.into())
    }

    /// How many live entries there are. Waits for each tally that it makes.
    pub(crate) fn len(&self) -> Result<u64> {
        self.backend.alive()?;
        self.make_tallies(&self.keys_of_runs()?)?;
        let totals = self.runs().filter_map(|run| Some(run.tally()?.total));
        Ok(totals.sum::<i64>().unsigned_abs())
    }

    /// The changes of all runs, which have tallies, in each interval.
    fn tallied(&self, runs: &[PlacedRun<B, K, ()>], intervals: &Intervals<B, K>) -> Result<B::Array<u32>> {
        let mut counts = None;
        for run in runs {
            let tally = run.tally().expect("all runs have tallies");
            counts = Some(self.backend.tallied(run, tally, &intervals.lower, &intervals.upper, counts)?);
        }
        Ok(counts.expect("there is a run"))
    }

    /// The same on the host, in 64 bits: each run's changes are read apart where their sum may be too large for 32.
    pub(crate) fn tallied_wide(
        &self,
        runs: &[PlacedRun<B, K, ()>],
        intervals: &Intervals<B, K>,
    ) -> Result<Vec<u64>> {
        let meter = self.backend.meter();
        let queries = intervals.lower.len();
        if self.check_counts(runs).is_ok() {
            return wide(meter, self.backend.download(&self.tallied(runs, intervals)?, queries)?);
        }
        let mut counts: Vec<u64> = meter.vector(queries)?;
        counts.resize(queries, 0);
        for (i, run) in runs.iter().enumerate() {
            let changes = self.backend.download(&self.tallied(&runs[i..=i], intervals)?, queries)?;
            let is_oldest = i + 1 == runs.len();
            for (count, change) in counts.iter_mut().zip(changes) {
                *count = count.wrapping_add(widened(change, is_oldest));
            }
            debug_assert!(is_oldest || run.len <= MOST_CHANGES);
        }
        Ok(counts)
    }
}

/// What a run changes, modulo 2^32, as what it adds modulo 2^64: the oldest only adds keys, others may take some away.
fn widened(change: u32, is_oldest: bool) -> u64 {
    if is_oldest { u64::from(change) } else { i64::from(change as i32) as u64 }
}

#[cfg(test)]
mod tests {
    use super::widened;

    #[test]
    fn changes_past_32_bits_add_up() {
        let changes = [(u32::MAX, true), (1 << 30, false), (-5i32 as u32, false), (i32::MAX as u32, false)];
        let sum = changes
            .into_iter()
            .fold(0u64, |sum, (change, is_oldest)| sum.wrapping_add(widened(change, is_oldest)));
        assert_eq!(sum, (u64::from(u32::MAX) + (1 << 30) - 5) + i32::MAX as u64);
    }
}
