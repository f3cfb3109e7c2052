//! seek: the nearest live key of a few queries, found by counting.
//!
//! Tallies give the number of live keys in an interval, whatever else is there. So the nearest live key is found by
//! repeatedly halving the interval that it is in, in as many steps as a key has bits. This passes a stretch of
//! tombstones of any length.

use crate::core::Core;
use crate::error::Result;
use crate::intervals::Intervals;
use crate::levels::PlacedRun;
use gpu_lsm_primitives::{Backend, Code, Start, Value, Way};

/// The interval that contains a query's nearest live key, if it has one.
#[derive(Clone, Copy)]
struct Span<K> {
    low: K,
    high: K,
}

impl<K: Code> Span<K> {
    /// All keys that may be the answer to a query.
    fn of(query: K, way: Way) -> Self {
        match way {
            Way::Down => Self { low: K::MIN, high: query },
            Way::Up | Way::UpAfter => Self { low: query, high: K::MAX },
        }
    }

    /// The half nearer to the query.
    fn near(self, way: Way) -> Self {
        let (low, high) = (self.low.to_u64(), self.high.to_u64());
        let below = low + (high - low) / 2;
        match way {
            Way::Down => Self { low: K::truncated(high - (high - low) / 2), ..self },
            Way::Up | Way::UpAfter => Self { high: K::truncated(below), ..self },
        }
    }

    /// The other half. The span must have more than one key.
    fn far(self, way: Way) -> Self {
        let near = self.near(way);
        match way {
            Way::Down => Self { high: K::truncated(near.low.to_u64() - 1), ..self },
            Way::Up | Way::UpAfter => Self { low: K::truncated(near.high.to_u64() + 1), ..self },
        }
    }

    fn is_one_key(self) -> bool {
        self.low == self.high
    }
}

impl<B: Backend, K: Code, V: Value> Core<B, K, V> {
    /// For each query, the only key that can be the nearest live one, at the query or in one direction from it. A
    /// lookup must tell whether it is live. Makes the missing tallies; waits for each of them and once for each bit of
    /// a key.
    pub(crate) fn seek(&self, queries: &[K], way: Way) -> Result<Vec<K>> {
        let runs = self.keys_of_runs()?;
        self.make_tallies(&runs)?;
        let meter = self.backend.meter();
        let mut spans: Vec<Span<K>> = meter.vector(queries.len())?;
        spans.extend(queries.iter().map(|&query| Span::of(query, way)));
        while !spans.iter().all(|span| span.is_one_key()) {
            let counts = self.live_in(&runs, spans.iter().map(|span| span.near(way)))?;
            for (span, count) in spans.iter_mut().zip(counts) {
                if !span.is_one_key() {
                    *span = if count > 0 { span.near(way) } else { span.far(way) };
                }
            }
        }
        let mut keys = meter.vector(queries.len())?;
        keys.extend(spans.iter().map(|span| span.low));
        Ok(keys)
    }

    /// The number of live keys in each of a few spans.
    fn live_in(
        &self,
        runs: &[PlacedRun<B, K, ()>],
        spans: impl ExactSizeIterator<Item = Span<K>> + Clone,
    ) -> Result<Vec<u64>> {
        let meter = self.backend.meter();
        let (mut lower, mut upper) = (meter.vector(spans.len())?, meter.vector(spans.len())?);
        lower.extend(spans.clone().map(|span| span.low));
        upper.extend(spans.map(|span| span.high));
        let (lower, upper) = (self.backend.upload(&lower)?, self.backend.upload(&upper)?);
        self.tallied_wide(runs, &Intervals { lower, upper, start: Start::At })
    }
}

#[cfg(test)]
mod tests {
    use super::Span;
    use gpu_lsm_primitives::Way;

    /// Halving leads to the nearest live key or, if there is none, to a key that is not live, at both ends of the
    /// domain.
    #[test]
    fn halving_leads_to_the_nearest_key() {
        let live = [3u64, 4, 1 << 40, u64::MAX];
        for query in [0, 3, 4, 5, (1 << 40) - 1, 1 << 40, (1 << 40) + 1, u64::MAX - 1, u64::MAX] {
            for way in [Way::Up, Way::Down] {
                let mut span = Span::of(query, way);
                let mut steps = 0;
                while !span.is_one_key() {
                    let near = span.near(way);
                    let has_live = live.iter().any(|key| (near.low..=near.high).contains(key));
                    span = if has_live { near } else { span.far(way) };
                    steps += 1;
                }
                assert!(steps <= 64, "{steps} steps");
                let nearest = match way {
                    Way::Down => live.iter().rfind(|&&key| key <= query),
                    _ => live.iter().find(|&&key| key >= query),
                };
                let found = Some(&span.low).filter(|key| live.contains(key));
                assert_eq!(found, nearest, "from {query} {way:?}");
            }
        }
    }
}
