//! Pieces: queries from the host's memory, as many at a time as the device can take.

use crate::core::Core;
use crate::error::{BackendError, Error, Result};
use crate::intervals::{Intervals, Slices};
use crate::levels::PlacedRun;
use crate::lists::wide;
use crate::range::Ranges;
use gpu_lsm_primitives::{Backend, Candidates, Code, Value};

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// The number of live entries of each interval.
    pub(crate) fn count_slices(&self, intervals: Slices<'_, K>) -> Result<Vec<u64>> {
        self.backend.alive()?;
        let meter = self.backend.meter();
        let _returned = meter.returned((intervals.len() as u64).saturating_mul(8))?;
        let mut counts = meter.vector(intervals.len())?;
        self.in_pieces(intervals, &mut |piece| {
            counts.extend(self.count_on_host(&piece.on(&self.backend)?, piece.most())?);
            Ok(())
        })?;
        Ok(counts)
    }

    /// The live entries of each interval.
    pub(crate) fn range_slices(&self, intervals: Slices<'_, K>) -> Result<Ranges<K, V>> {
        self.backend.alive()?;
        let runs = self.whole_runs()?;
        match self.range_at_once(&runs, intervals) {
            Err(error) if intervals.len() > 1 && is_too_much(&error) => {
                self.range_in_pieces(&runs, intervals)
            }
            result => result,
        }
    }

    fn range_at_once(&self, runs: &[PlacedRun<B, K, V>], intervals: Slices<'_, K>) -> Result<Ranges<K, V>> {
        let found = self.range(runs, &intervals.on(&self.backend)?, intervals.most())?;
        self.read_ranges(&found.candidates, intervals.len())
    }

    /// The same in pieces. The number of entries that all pieces find has no bound, so it is counted first.
    fn range_in_pieces(&self, runs: &[PlacedRun<B, K, V>], intervals: Slices<'_, K>) -> Result<Ranges<K, V>> {
        let total: u64 = self.count_slices(intervals)?.iter().sum();
        let meter = self.backend.meter();
        let _returned = meter.returned(Ranges::<K, V>::bytes_of(intervals.len(), total))?;
        let mut offsets: Vec<u64> = meter.vector(intervals.len() + 1)?;
        let (mut keys, mut values) = (meter.vector(total as usize)?, meter.vector(total as usize)?);
        offsets.push(0);
        self.in_pieces(intervals, &mut |piece| {
            let found = self.range_at_once(runs, piece)?;
            let start = keys.len() as u64;
            keys.extend_from_slice(found.keys());
            values.extend_from_slice(found.values());
            offsets.extend(found.offsets()[1..].iter().map(|end| start + end));
            Ok(())
        })?;
        Ok(Ranges::new(offsets, keys, values))
    }

    /// Copies the entries that ranges found to the host, after accounting for their bytes.
    pub(crate) fn read_ranges(&self, found: &Candidates<B, K, V>, queries: usize) -> Result<Ranges<K, V>> {
        let meter = self.backend.meter();
        let offsets = wide(meter, self.backend.download(&found.offsets, queries + 1)?)?;
        let total = offsets[queries] as usize;
        let _returned = meter.returned(Ranges::<K, V>::bytes_of(queries, total as u64))?;
        let keys = self.backend.download(&found.entries.keys, total)?;
        Ok(Ranges::new(offsets, keys, self.backend.download(&found.entries.values, total)?))
    }

    /// The live keys in intervals that do not overlap, on the device.
    pub(crate) fn keys_in_slices(&self, intervals: Slices<'_, K>) -> Result<B::Array<K>> {
        let runs = self.keys_of_runs()?;
        let mut keys: Option<B::Array<K>> = None;
        self.in_pieces(intervals, &mut |piece| {
            let more = self.keys_in(&runs, &piece.on(&self.backend)?, piece.most())?;
            keys = Some(match &keys {
                Some(keys) => self.backend.concat(keys, &more)?,
                None => more,
            });
            Ok(())
        })?;
        match keys {
            Some(keys) => Ok(keys),
            None => Ok(self.backend.upload(&[])?),
        }
    }

    /// The live keys in intervals on the device. A key in several intervals occurs several times. Waits as a range
    /// does, and for the number of keys.
    pub(crate) fn keys_in(
        &self,
        runs: &[PlacedRun<B, K, ()>],
        intervals: &Intervals<B, K>,
        most: u64,
    ) -> Result<B::Array<K>> {
        Ok(self.exact(self.range(runs, intervals, most)?)?.entries.keys)
    }

    /// Calls `answer` with all queries at once or, if they have more candidates than one array can hold, with pieces.
    pub(crate) fn in_pieces(
        &self,
        intervals: Slices<'_, K>,
        answer: &mut impl FnMut(Slices<'_, K>) -> Result<()>,
    ) -> Result<()> {
        let at_once = usize::try_from(self.backend.max_len(size_of::<K>()) - 1).unwrap_or(usize::MAX);
        if intervals.len() == 0 {
            return Ok(());
        }
        if intervals.len() <= at_once {
            match answer(intervals) {
                Err(error) if intervals.len() > 1 && is_too_much(&error) => {}
                result => return result,
            }
        }
        let (first, second) = intervals.split_at(intervals.len() / 2);
        self.in_pieces(first, answer)?;
        self.in_pieces(second, answer)
    }
}

/// Whether fewer queries at a time may succeed.
fn is_too_much(error: &Error) -> bool {
    matches!(error, Error::TooManyCandidates { .. } | Error::Backend(BackendError::TooLarge { .. }))
}
