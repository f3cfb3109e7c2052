//! count and len: the number of live entries, by subtraction.
//!
//! A run's tally says which of its entries add a key to those of the older runs and which remove one. So the sum of all
//! tallies between two keys is the number of live entries there, at the same cost for any number. A tally costs a
//! lookup of each of the run's keys in the older runs. It is made if that is no more work than laying out the
//! candidates, and stays with the run.

use crate::core::Core;
use crate::error::{BackendError, Result};
use crate::hits::total;
use crate::intervals::Intervals;
use crate::levels::PlacedRun;
use crate::lists::wide;
use crate::tally::{MOST_CHANGES, untallied};
use gpu_lsm_primitives::{Array, Backend, Code, Value};

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// The number of live entries of each interval. Refused if tallies are missing and the intervals have more than
    /// `most` candidates, or if the numbers may not fit 32 bits. Waits once for the number of candidates and once for
    /// each tally that it makes; does not wait if no tally is missing.
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

    /// The same on the host, with 64 bits.
    pub(crate) fn count_on_host(&self, intervals: &Intervals<B, K>, most: u64) -> Result<Vec<u64>> {
        let runs = self.keys_of_runs()?;
        if !self.counts_fit(&runs) {
            self.make_tallies(&runs)?;
            return self.tallied_wide(&runs, intervals);
        }
        let counts = self.backend.download(&self.count(intervals, most)?, intervals.lower.len())?;
        wide(self.backend.meter(), counts)
    }

    /// Refuses to count if all entries together are too many for 32 bits.
    fn check_counts(&self, runs: &[PlacedRun<B, K, ()>]) -> Result<()> {
        if self.counts_fit(runs) {
            return Ok(());
        }
        let limit = self.backend.max_len(0);
        Err(BackendError::TooLarge { entries: entries(runs), entry_bytes: 0, limit }.into())
    }

    /// Whether any number of entries of these runs fits 32 bits.
    fn counts_fit(&self, runs: &[PlacedRun<B, K, ()>]) -> bool {
        entries(runs) <= self.backend.max_len(0)
    }

    /// The number of live entries. Waits for each tally that it makes.
    pub(crate) fn len(&self) -> Result<u64> {
        self.backend.alive()?;
        self.make_tallies(&self.keys_of_runs()?)?;
        let totals = self.runs().filter_map(|run| Some(run.tally()?.total));
        Ok(totals.sum::<i64>().unsigned_abs())
    }

    /// The changes of all runs in each interval. All runs must have tallies.
    fn tallied(&self, runs: &[PlacedRun<B, K, ()>], intervals: &Intervals<B, K>) -> Result<B::Array<u32>> {
        let mut counts = None;
        for run in runs {
            let tally = run.tally().expect("all runs have tallies");
            counts = Some(self.backend.tallied(run, tally, &intervals.lower, &intervals.upper, counts)?);
        }
        Ok(counts.expect("there is a run"))
    }

    /// The same on the host, with 64 bits. If the sum may not fit 32 bits, each run's changes are read separately.
    pub(crate) fn tallied_wide(
        &self,
        runs: &[PlacedRun<B, K, ()>],
        intervals: &Intervals<B, K>,
    ) -> Result<Vec<u64>> {
        let meter = self.backend.meter();
        let queries = intervals.lower.len();
        if self.counts_fit(runs) {
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

/// The number of entries of all runs, including stale ones.
fn entries<B: Backend, K: Code>(runs: &[PlacedRun<B, K, ()>]) -> u64 {
    runs.iter().map(|run| run.len as u64).sum()
}

/// Widens a run's changes from a number modulo 2^32 to one modulo 2^64. The oldest run only adds keys; others may
/// remove some.
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
