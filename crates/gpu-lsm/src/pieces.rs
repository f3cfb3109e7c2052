//! Pieces: queries from the host's memory, as many at a time as the device takes.

use crate::core::Core;
use crate::error::{BackendError, Error, Result};
use crate::range::{Intervals, Ranges};
use gpu_lsm_primitives::{Backend, Key, Meter, Run, Start, Value};

/// The most candidates of several queries that are worked on at once: enough to keep a device busy, and of bounded size.
pub(crate) const AT_ONCE: u64 = 1 << 26;

/// Intervals in the host's memory; the upper bounds are inclusive.
#[derive(Clone, Copy)]
pub(crate) struct Slices<'a, K> {
    pub(crate) lower: &'a [K],
    pub(crate) upper: &'a [K],
    pub(crate) start: Start,
}

impl<K: Key> Slices<'_, K> {
    fn len(&self) -> usize {
        self.lower.len()
    }

    /// The most candidates that are worked on at once: those of a single query can't be split.
    fn most(&self) -> u64 {
        if self.len() > 1 { AT_ONCE } else { u64::MAX }
    }

    fn on<B: Backend>(&self, backend: &B) -> Result<Intervals<B, K>> {
        let (lower, upper) = (backend.upload(self.lower)?, backend.upload(self.upper)?);
        Ok(Intervals { lower, upper, start: self.start })
    }

    /// The same keys in intervals that do not overlap, in ascending order.
    fn united(&self, meter: &Meter) -> Result<(Vec<K>, Vec<K>)> {
        let mut pairs: Vec<(K, K)> = meter.vector(self.len())?;
        pairs.extend(self.lower.iter().copied().zip(self.upper.iter().copied()).filter(|(l, u)| l <= u));
        pairs.sort_unstable();
        let (mut lower, mut upper): (Vec<K>, Vec<K>) =
            (meter.vector(pairs.len())?, meter.vector(pairs.len())?);
        for (low, up) in pairs {
            match upper.last_mut() {
                Some(last) if low <= *last => *last = up.max(*last),
                _ => {
                    lower.push(low);
                    upper.push(up);
                }
            }
        }
        Ok((lower, upper))
    }

    fn split_at(&self, at: usize) -> (Self, Self) {
        let ((lower, lower_rest), (upper, upper_rest)) = (self.lower.split_at(at), self.upper.split_at(at));
        (Self { lower, upper, ..*self }, Self { lower: lower_rest, upper: upper_rest, ..*self })
    }
}

impl<B: Backend, K: Key, V: Value> Core<B, K, V> {
    /// How many live entries each interval has.
    pub(crate) fn count_slices(&self, intervals: Slices<'_, K>) -> Result<Vec<u64>> {
        self.backend.alive()?;
        let mut counts = self.backend.meter().vector(intervals.len())?;
        self.in_pieces(intervals, &mut |piece| {
            let lens = self.count(&piece.on(&self.backend)?, piece.most())?;
            counts.extend(self.backend.download(&lens, piece.len())?.into_iter().map(u64::from));
            Ok(())
        })?;
        Ok(counts)
    }

    /// The live entries of each interval, at most the first `limit` of each.
    pub(crate) fn range_slices(&self, intervals: Slices<'_, K>, limit: Option<u32>) -> Result<Ranges<K, V>> {
        self.backend.alive()?;
        let runs = self.whole_runs()?;
        let meter = self.backend.meter();
        let mut offsets: Vec<u64> = meter.vector(intervals.len() + 1)?;
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        offsets.push(0);
        self.in_pieces(intervals, &mut |piece| {
            let found = self.range(&runs, &piece.on(&self.backend)?, limit, piece.most())?;
            let start = keys.len() as u64;
            let ends = self.backend.download(&found.offsets, piece.len() + 1)?;
            let total = ends[piece.len()] as usize;
            extend(meter, &mut keys, self.backend.download(&found.entries.keys, total)?)?;
            extend(meter, &mut values, self.backend.download(&found.entries.values, total)?)?;
            offsets.extend(ends[1..].iter().map(|&end| start + u64::from(end)));
            Ok(())
        })?;
        Ok(Ranges::new(offsets, keys, values))
    }

    /// The live keys in any of the intervals, each once, on the device.
    pub(crate) fn keys_in_slices(&self, intervals: Slices<'_, K>) -> Result<B::Array<K>> {
        self.backend.alive()?;
        let (lower, upper) = intervals.united(self.backend.meter())?;
        let runs = self.keys_of_runs()?;
        let mut keys: Option<B::Array<K>> = None;
        self.in_pieces(Slices { lower: &lower, upper: &upper, ..intervals }, &mut |piece| {
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

    /// The live keys in intervals on the device, one that is in several as often. Waits as a range does, and for their
    /// number.
    pub(crate) fn keys_in(
        &self,
        runs: &[Run<B, K, ()>],
        intervals: &Intervals<B, K>,
        most: u64,
    ) -> Result<B::Array<K>> {
        let found = self.range(runs, intervals, None, most)?;
        let total = self.backend.last(&found.offsets)?;
        let total = self.backend.read_counts(&[&total])?[0] as usize;
        Ok(self.backend.prefix(&found.entries.keys, total)?)
    }

    /// Calls `answer` with all queries at once or, where they have more candidates than one array holds, with pieces.
    fn in_pieces(
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
                Err(Error::Backend(BackendError::TooLarge { .. })) if intervals.len() > 1 => {}
                result => return result,
            }
        }
        let (first, second) = intervals.split_at(intervals.len() / 2);
        self.in_pieces(first, answer)?;
        self.in_pieces(second, answer)
    }
}

/// Appends, or fails where there is no room.
pub(crate) fn extend<T>(meter: &Meter, list: &mut Vec<T>, more: Vec<T>) -> Result<()> {
    if list.is_empty() {
        *list = more;
    } else if list.capacity() - list.len() >= more.len() {
        list.extend(more);
    } else {
        let mut longer = meter.vector((list.len() + more.len()).max(2 * list.capacity()))?;
        longer.append(list);
        longer.extend(more);
        *list = longer;
    }
    Ok(())
}
