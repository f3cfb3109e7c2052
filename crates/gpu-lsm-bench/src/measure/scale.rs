//! The size of experiments.

use std::time::Duration;

/// The size of experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// The number of entries that are inserted in total.
    pub n: usize,
    /// The most numbers of resident batches at which queries are measured, not counting the two extremes.
    pub samples: usize,
    /// The most batches in one series.
    pub batches: usize,
    /// The smallest batch size.
    pub smallest: usize,
    /// The most entries that the intervals of one call have in total.
    pub candidates: usize,
    /// The fewest lookups of one call after a cleanup. If fewer keys are left, they are looked up several times.
    pub lookups: usize,
    /// A query is repeated until its samples together took so long. Their median counts.
    pub repeat_for: Duration,
    /// The sum of all requested batch sizes, which are powers of two.
    pub wanted: usize,
}

impl Scale {
    /// The paper's own sizes, with the given `n`. If n is below 2^20, there are fewer intervals, which would otherwise
    /// dominate the time.
    pub fn full(n: usize) -> Self {
        Self {
            n,
            samples: 8,
            batches: 1 << 12,
            smallest: 256,
            candidates: n.saturating_mul(16).min(1 << 24),
            lookups: 0,
            repeat_for: Duration::ZERO,
            wanted: usize::MAX,
        }
    }

    /// Small enough to run all experiments in minutes.
    pub fn quick(n: usize) -> Self {
        Self { samples: 3, batches: 1 << 6, smallest: 16, candidates: 1 << 17, ..Self::full(n) }
    }

    /// The requested batch sizes, obtained by halving `n`: those with at most `batches` batches, and not below the
    /// smallest batch size.
    pub fn batch_sizes(&self, batches: usize) -> Vec<usize> {
        let batches = batches.min(self.batches);
        let halved = std::iter::successors(Some(self.n), |b| Some(b / 2));
        let possible = halved.take_while(|&b| b >= self.smallest && self.n / b <= batches);
        possible.filter(|b| self.wanted & b != 0).collect()
    }
}
