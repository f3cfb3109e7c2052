//! How large experiments are.

/// How large experiments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// Entries that come in all.
    pub n: usize,
    /// The most numbers of resident batches that queries are measured at, but for the best and the worst.
    pub samples: usize,
    /// The most batches of one series.
    pub batches: usize,
    /// The smallest batch.
    pub smallest: usize,
    /// The most entries that all intervals of one call have together.
    pub candidates: usize,
    /// The sum of all batch sizes that are wanted, which are powers of two.
    pub wanted: usize,
}

impl Scale {
    /// The paper's own sizes, but for `n`; and where that is below 2^20, fewer intervals, which else would be all the work.
    pub fn full(n: usize) -> Self {
        Self {
            n,
            samples: 8,
            batches: 1 << 12,
            smallest: 256,
            candidates: (16 * n).min(1 << 24),
            wanted: usize::MAX,
        }
    }

    /// Small enough for all experiments in minutes.
    pub fn quick(n: usize) -> Self {
        Self { n, samples: 3, batches: 1 << 6, smallest: 16, candidates: 1 << 17, wanted: usize::MAX }
    }

    /// Batch sizes from `n` down by halves that are wanted, at most `batches` batches of no fewer entries than the smallest
    /// has.
    pub fn batch_sizes(&self, batches: usize) -> Vec<usize> {
        let batches = batches.min(self.batches);
        let halved = std::iter::successors(Some(self.n), |b| Some(b / 2));
        let possible = halved.take_while(|&b| b >= self.smallest && self.n / b <= batches);
        possible.filter(|b| self.wanted & b != 0).collect()
    }
}
