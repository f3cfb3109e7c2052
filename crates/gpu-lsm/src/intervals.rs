//! Intervals of keys, in the host's memory and on a device.

use crate::error::Result;
use gpu_lsm_primitives::{Backend, Code, Meter, Start};

/// Intervals on the device. The upper bounds are inclusive.
pub(crate) struct Intervals<B: Backend, K: Code> {
    pub(crate) lower: B::Array<K>,
    pub(crate) upper: B::Array<K>,
    pub(crate) start: Start,
}

/// The most candidates of several queries at a time: enough to keep a device busy, but of bounded size.
pub(crate) const AT_ONCE: u64 = 1 << 26;

/// Intervals in the host's memory. The upper bounds are inclusive.
#[derive(Clone, Copy)]
pub(crate) struct Slices<'a, K> {
    pub(crate) lower: &'a [K],
    pub(crate) upper: &'a [K],
    pub(crate) start: Start,
}

impl<K: Code> Slices<'_, K> {
    pub(crate) fn len(&self) -> usize {
        self.lower.len()
    }

    /// The most candidates at a time. There is no limit for a single query, which cannot be split.
    pub(crate) fn most(&self) -> u64 {
        if self.len() > 1 { AT_ONCE } else { u64::MAX }
    }

    pub(crate) fn on<B: Backend>(&self, backend: &B) -> Result<Intervals<B, K>> {
        let (lower, upper) = (backend.upload(self.lower)?, backend.upload(self.upper)?);
        Ok(Intervals { lower, upper, start: self.start })
    }

    /// The same keys in intervals that do not overlap, in ascending order.
    pub(crate) fn united(&self, meter: &Meter) -> Result<(Vec<K>, Vec<K>)> {
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

    /// The same in order, at most `len` at a time.
    pub(crate) fn chunks(&self, len: usize) -> impl Iterator<Item = Self> {
        let bounds = self.lower.chunks(len).zip(self.upper.chunks(len));
        bounds.map(|(lower, upper)| Self { lower, upper, ..*self })
    }

    pub(crate) fn split_at(&self, at: usize) -> (Self, Self) {
        let ((lower, lower_rest), (upper, upper_rest)) = (self.lower.split_at(at), self.upper.split_at(at));
        (Self { lower, upper, ..*self }, Self { lower: lower_rest, upper: upper_rest, ..*self })
    }
}
