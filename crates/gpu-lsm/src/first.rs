//! range_first: at most the first few entries of each interval, at a cost proportional to their number.
//!
//! Each run contributes a window: a few entries from the start of an interval. Up to the nearest end of any window no
//! entry is missing, so the live entries up to there are a prefix of the answer. If nothing is hidden, they suffice.
//! Otherwise queries that are short of their limit continue from there with longer windows, or by [`seek`](crate::seek)
//! past a long stretch of tombstones.

use crate::core::Core;
use crate::error::Result;
use crate::hits::Found;
use crate::intervals::{Intervals, Slices};
use crate::levels::PlacedRun;
use crate::lists::{copied, extend};
use crate::neighbour::{GROWTH, WINDOW};
use crate::range::Ranges;
use gpu_lsm_primitives::{Array, Backend, Candidates, Code, Meter, Pile, Run, Start, Value, Way};

/// The first entries of intervals, and for each interval the key up to which none is missing.
struct Round<B: Backend, K: Code, V: Value> {
    found: Found<B, K, V>,
    reached: B::Array<K>,
}

/// Entries of some queries, in the host's memory.
struct Part<K, V> {
    queries: Vec<usize>,
    ranges: Ranges<K, V>,
}

/// Queries that continue.
struct Open<K> {
    queries: Vec<usize>,
    lower: Vec<K>,
    upper: Vec<K>,
    start: Start,
}

impl<K: Code> Open<K> {
    fn slices(&self) -> Slices<'_, K> {
        Slices { lower: &self.lower, upper: &self.upper, start: self.start }
    }
}

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// At most the first `limit` live entries of each interval, in arrays of their exact length. Waits for the number
    /// of candidates and for the number of entries; if any may be hidden, also for how far each query got.
    pub(crate) fn range_first(&self, intervals: &Intervals<B, K>, limit: u32) -> Result<Candidates<B, K, V>> {
        self.backend.alive()?;
        let runs = self.whole_runs()?;
        let mut window = first_window(limit);
        loop {
            let round = self.first_round(&runs, intervals, window, u64::MAX)?;
            if round.found.len.is_some() || !self.is_any_short(&round, intervals, limit)? {
                return self.exact(self.clipped(&round.found, limit)?);
            }
            window = window.saturating_mul(GROWTH);
            if !self.is_worth_a_walk(&runs, intervals.lower.len(), window) {
                return self.range_first_by_host(intervals, limit);
            }
        }
    }

    /// Whether any query is short of its limit and has not reached its end. Waits.
    fn is_any_short(&self, round: &Round<B, K, V>, intervals: &Intervals<B, K>, limit: u32) -> Result<bool> {
        let queries = intervals.lower.len();
        let ends = self.backend.download(&round.found.candidates.offsets, queries + 1)?;
        let reached = self.backend.download(&round.reached, queries)?;
        let upper = self.backend.download(&intervals.upper, queries)?;
        Ok((0..queries).any(|i| ends[i + 1] - ends[i] < limit && reached[i] < upper[i]))
    }

    /// The same by way of the host's memory, where each query continues from where it got to.
    fn range_first_by_host(&self, intervals: &Intervals<B, K>, limit: u32) -> Result<Candidates<B, K, V>> {
        let queries = intervals.lower.len();
        let lower = self.backend.download(&intervals.lower, queries)?;
        let upper = self.backend.download(&intervals.upper, queries)?;
        let slices = Slices { lower: &lower, upper: &upper, start: intervals.start };
        self.uploaded(&self.range_first_slices(slices, limit)?)
    }

    /// Copies the entries that were found on the host to the device.
    fn uploaded(&self, ranges: &Ranges<K, V>) -> Result<Candidates<B, K, V>> {
        let offsets = copied(self.backend.meter(), ranges.offsets().iter().map(|&offset| offset as u32))?;
        let (keys, values) = (self.backend.upload(ranges.keys())?, self.backend.upload(ranges.values())?);
        let entries = Pile { keys, values, marks: None, len: ranges.keys().len() };
        Ok(Candidates { offsets: self.backend.upload(&offsets)?, entries })
    }

    /// At most the first `limit` live entries of each interval.
    pub(crate) fn range_first_slices(&self, intervals: Slices<'_, K>, limit: u32) -> Result<Ranges<K, V>> {
        self.backend.alive()?;
        let runs = self.whole_runs()?;
        let meter = self.backend.meter();
        let mut offsets: Vec<u64> = meter.vector(intervals.lower.len() + 1)?;
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        let mut leases = Vec::new();
        offsets.push(0);
        self.in_pieces(intervals, &mut |piece| {
            let found = self.first_entries(&runs, piece, limit)?;
            leases.push(meter.returned(found.bytes())?);
            let start = keys.len() as u64;
            offsets.extend(found.offsets()[1..].iter().map(|end| start + end));
            let (_, more_keys, more_values) = found.into_parts();
            extend(meter, &mut keys, more_keys)?;
            extend(meter, &mut values, more_values)
        })?;
        Ok(Ranges::new(offsets, keys, values))
    }

    /// The same, for as many queries as the device takes at a time.
    fn first_entries(
        &self,
        runs: &[PlacedRun<B, K, V>],
        piece: Slices<'_, K>,
        limit: u32,
    ) -> Result<Ranges<K, V>> {
        let meter = self.backend.meter();
        let mut taken = copied(meter, (0..piece.len()).map(|_| 0))?;
        let mut window = first_window(limit);
        let mut parts = Vec::new();
        let mut open = Open {
            queries: copied(meter, 0..piece.len())?,
            lower: copied(meter, piece.lower.iter().copied())?,
            upper: copied(meter, piece.upper.iter().copied())?,
            start: piece.start,
        };
        while !open.queries.is_empty() {
            let round = self.first_round(runs, &open.slices().on(&self.backend)?, window, piece.most())?;
            let reached = self.backend.download(&round.reached, open.queries.len())?;
            let ranges =
                self.read_ranges(&self.clipped(&round.found, limit)?.candidates, open.queries.len())?;
            let still_open = short_of(meter, &open, &ranges, &reached, &mut taken, limit)?;
            parts.push(Part { queries: open.queries, ranges });
            (open, window) = self.going_on(runs, still_open, window, limit)?;
        }
        self.joined(parts, &taken, limit)
    }

    /// The live entries of each interval as far as windows of this length reach, and the key up to which they reach.
    fn first_round(
        &self,
        runs: &[PlacedRun<B, K, V>],
        intervals: &Intervals<B, K>,
        window: u32,
        most: u64,
    ) -> Result<Round<B, K, V>> {
        let Intervals { lower, upper, start } = intervals;
        let way = if *start == Start::At { Way::Up } else { Way::UpAfter };
        // This must be a copy: each call of `window` overwrites the horizons that it is given.
        let mut reached = self.backend.concat(upper, &self.backend.upload(&[])?)?;
        for run in runs {
            reached = self.backend.window(run, lower, way, window, Some(reached), None)?.1;
        }
        let (lower, upper) = (lower.clone(), reached.clone());
        let found = self.range(runs, &Intervals { lower, upper, start: *start }, most)?;
        Ok(Round { found, reached })
    }

    /// The first `limit` entries of each query. The arrays may be longer.
    fn clipped(&self, found: &Found<B, K, V>, limit: u32) -> Result<Found<B, K, V>> {
        let Candidates { offsets, entries } = &found.candidates;
        let bounds = self.backend.clip(offsets, limit)?;
        let Pile { keys, values, len, .. } = entries.clone();
        let list = Run { keys, values, len, ..Run::empty(&self.backend)? };
        let room = (offsets.len() - 1).saturating_mul(limit as usize).min(len);
        Ok(Found { candidates: self.backend.expand(&list, &bounds, room)?, len: None })
    }

    /// How open queries continue: with longer windows or, if that is less work, past dead entries by counting.
    fn going_on(
        &self,
        runs: &[PlacedRun<B, K, V>],
        mut open: Open<K>,
        window: u32,
        limit: u32,
    ) -> Result<(Open<K>, u32)> {
        let longer = window.saturating_mul(GROWTH);
        if open.queries.is_empty() || self.is_worth_a_walk(runs, open.queries.len(), longer) {
            return Ok((open, longer));
        }
        let after = open.lower.iter().map(|&key| K::truncated(key.to_u64() + 1));
        let after = copied(self.backend.meter(), after)?;
        open.lower = self.seek(&after, Way::Up)?;
        open.start = Start::At;
        Ok((open, first_window(limit)))
    }

    /// All parts as one list in the order of the queries, with at most `limit` entries per query.
    fn joined(&self, mut parts: Vec<Part<K, V>>, taken: &[u32], limit: u32) -> Result<Ranges<K, V>> {
        if parts.len() == 1 {
            return Ok(parts.remove(0).ranges);
        }
        let meter = self.backend.meter();
        let mut total = 0;
        let mut offsets: Vec<u64> = meter.vector(taken.len() + 1)?;
        offsets.push(0);
        offsets.extend(taken.iter().map(|&taken| {
            total += u64::from(taken.min(limit));
            total
        }));
        let total = total as usize;
        let (mut keys, mut values): (Vec<K>, Vec<V>) = (meter.vector(total)?, meter.vector(total)?);
        keys.resize(total, K::MIN);
        values.resize(total, V::zeroed());
        let mut next = copied(meter, offsets[..taken.len()].iter().copied())?;
        for Part { queries, ranges } in parts {
            for (&query, (from_keys, from_values)) in queries.iter().zip(ranges.iter()) {
                let start = next[query] as usize;
                let len = from_keys.len().min((offsets[query + 1] as usize) - start);
                keys[start..start + len].copy_from_slice(&from_keys[..len]);
                values[start..start + len].copy_from_slice(&from_values[..len]);
                next[query] += len as u64;
            }
        }
        Ok(Ranges::new(offsets, keys, values))
    }
}

/// The number of entries of each run in the first window: more than the limit, because some may be hidden.
fn first_window(limit: u32) -> u32 {
    limit.saturating_mul(2).saturating_add(WINDOW)
}

/// The queries that are short of their limit and have not reached their end, and where they continue.
fn short_of<K: Code, V>(
    meter: &Meter,
    open: &Open<K>,
    ranges: &Ranges<K, V>,
    reached: &[K],
    taken: &mut [u32],
    limit: u32,
) -> Result<Open<K>> {
    let most = open.queries.len();
    let (queries, lower, upper) = (meter.vector(most)?, meter.vector(most)?, meter.vector(most)?);
    let mut rest = Open { queries, lower, upper, start: Start::After };
    for (i, &query) in open.queries.iter().enumerate() {
        let found = (ranges.offsets()[i + 1] - ranges.offsets()[i]) as u32;
        taken[query] = taken[query].saturating_add(found);
        if taken[query] < limit && reached[i] < open.upper[i] {
            rest.queries.push(query);
            rest.lower.push(reached[i]);
            rest.upper.push(open.upper[i]);
        }
    }
    Ok(rest)
}
