//! Hits: the entries of each run in the intervals of a list of queries, and the live entries among all of them.

use crate::core::Core;
use crate::error::{Error, Result};
use crate::intervals::Intervals;
use crate::levels::PlacedRun;
use crate::tally::hides_nothing;
use gpu_lsm_primitives::{Backend, Bounds, Candidates, Code, Value};

/// A run, and its entries in the intervals of a list of queries.
pub(crate) struct Hit<'r, B: Backend, K: Code, W: Value> {
    pub(crate) run: &'r PlacedRun<B, K, W>,
    pub(crate) bounds: Bounds<B>,
    /// The number of entries; the largest number if it does not fit 32 bits.
    pub(crate) total: usize,
}

/// The number of entries of all hits.
pub(crate) fn total<B: Backend, K: Code, W: Value>(hits: &[Hit<'_, B, K, W>]) -> u64 {
    hits.iter().map(|hit| hit.total as u64).sum()
}

/// The entries that ranges found, on the device.
pub(crate) struct Found<B: Backend, K: Code, W: Value> {
    pub(crate) candidates: Candidates<B, K, W>,
    /// The number of entries, if nothing was hidden. Otherwise the last offset is that number, and the arrays may be
    /// longer.
    pub(crate) len: Option<usize>,
}

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// The runs, newest first, with entries in any interval; the first run if none has any. Waits once, for the
    /// numbers.
    pub(crate) fn hits<'r, W: Value>(
        &self,
        runs: &'r [PlacedRun<B, K, W>],
        intervals: &Intervals<B, K>,
    ) -> Result<Vec<Hit<'r, B, K, W>>> {
        let bounds = |run: &PlacedRun<B, K, W>| {
            self.backend.bounds(run, &intervals.lower, &intervals.upper, intervals.start)
        };
        let bounds = runs.iter().map(bounds).collect::<Result<Vec<_>, _>>()?;
        self.counted(runs, bounds)
    }

    /// The runs with entries in their bounds; the first run if none has any. Waits once, for the numbers.
    pub(crate) fn counted<'r, W: Value>(
        &self,
        runs: &'r [PlacedRun<B, K, W>],
        bounds: Vec<Bounds<B>>,
    ) -> Result<Vec<Hit<'r, B, K, W>>> {
        let totals: Vec<_> = bounds.iter().map(|bounds| &bounds.total).collect();
        let totals = self.backend.read_counts(&totals)?;
        let hits = runs.iter().zip(bounds).zip(totals);
        let hits = hits.map(|((run, bounds), total)| Hit { run, bounds, total: total as usize });
        let mut hits: Vec<_> = hits.collect();
        let most = hits.iter().map(|hit| hit.total).max();
        hits.retain(|hit| hit.total > 0 || most == Some(0));
        hits.truncate(if most == Some(0) { 1 } else { hits.len() });
        Ok(hits)
    }

    /// The live entries of all hits. There must be at least one hit. Refused if they have more than `most` entries.
    pub(crate) fn found<W: Value>(&self, hits: &[Hit<'_, B, K, W>], most: u64) -> Result<Found<B, K, W>> {
        let candidates = self.candidates(hits, most)?;
        if candidates.entries.marks.is_none()
            && hits[..hits.len() - 1].iter().all(|hit| hides_nothing(hit.run))
        {
            return Ok(Found { candidates, len: Some(total(hits) as usize) });
        }
        Ok(Found { candidates: self.backend.live(&candidates)?, len: None })
    }

    /// All entries of all hits. There must be at least one hit. Refused if they have more than `most` entries.
    pub(crate) fn candidates<W: Value>(
        &self,
        hits: &[Hit<'_, B, K, W>],
        most: u64,
    ) -> Result<Candidates<B, K, W>> {
        self.check_candidates(hits, most)?;
        let (first, others) = hits.split_first().expect("there is a hit");
        let mut candidates = self.backend.expand(first.run, &first.bounds, first.total)?;
        for Hit { run, bounds, total } in others {
            candidates = self.backend.overlay(&candidates, run, bounds, *total)?;
        }
        Ok(candidates)
    }

    /// Refuses more candidates than `most`, or than one array can hold.
    fn check_candidates<W: Value>(&self, hits: &[Hit<'_, B, K, W>], most: u64) -> Result<()> {
        let limit = self.backend.max_len(size_of::<K>().max(size_of::<W>())).min(most);
        let candidates = total(hits);
        // The largest number stands for a total that does not fit 32 bits.
        if candidates > limit || hits.iter().any(|hit| hit.total == u32::MAX as usize) {
            return Err(Error::TooManyCandidates { candidates, limit });
        }
        Ok(())
    }
}
