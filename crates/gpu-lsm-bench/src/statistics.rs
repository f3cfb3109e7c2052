//! Minimum, maximum, harmonic mean and percentiles.

/// What several rates come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// The lowest.
    pub min: f64,
    /// The highest.
    pub max: f64,
    /// The harmonic mean: the rate of all samples together, had each as much work.
    pub mean: f64,
    /// How many there are.
    pub samples: usize,
}

impl Rates {
    /// The rates' extremes and mean; nothing where there are none.
    pub fn of(rates: impl IntoIterator<Item = f64>) -> Option<Self> {
        let rates: Vec<f64> = rates.into_iter().collect();
        let samples = rates.len();
        (samples > 0).then(|| Self {
            min: rates.iter().copied().fold(f64::INFINITY, f64::min),
            max: rates.iter().copied().fold(0.0, f64::max),
            mean: samples as f64 / rates.iter().map(|rate| 1.0 / rate).sum::<f64>(),
            samples,
        })
    }
}

/// The value that `share` of the numbers do not exceed, by the nearest rank; nothing where there are none.
pub fn percentile(numbers: &[f64], share: f64) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// `samples` of the numbers 1 to `all`, evenly spread, or all where they are no more.
///
/// Where not all are taken the last is `all - 1`: of a power of two, that is where a structure of doubling levels has
/// every level occupied.
pub fn spread(all: usize, samples: usize) -> Vec<usize> {
    if all <= samples || all < 3 {
        return (1..=all).collect();
    }
    let steps = samples.max(2) - 1;
    let mut chosen: Vec<_> = (0..=steps).map(|i| 1 + i * (all - 2) / steps).collect();
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use super::{Rates, percentile, spread};

    #[test]
    fn the_mean_is_harmonic() {
        let rates = Rates::of([1.0, 2.0, 4.0]).expect("there are some");
        assert_eq!((rates.min, rates.max, rates.samples), (1.0, 4.0, 3));
        assert!((rates.mean - 3.0 / 1.75).abs() < 1e-12);
        assert_eq!(Rates::of([]), None);
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let numbers: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(percentile(&numbers, 0.5), Some(50.0));
        assert_eq!(percentile(&numbers, 0.99), Some(99.0));
        assert_eq!(percentile(&numbers, 1.0), Some(100.0));
        assert_eq!(percentile(&[7.0], 0.01), Some(7.0));
        assert_eq!(percentile(&[], 0.5), None);
    }

    #[test]
    fn a_spread_has_the_best_and_the_worst_and_no_common_factor() {
        assert_eq!(spread(4, 8), [1, 2, 3, 4]);
        let chosen = spread(256, 32);
        assert_eq!((chosen[0], chosen[31], chosen.len()), (1, 255, 32));
        assert!(chosen.iter().filter(|r| *r % 2 == 1).count() > 8);
        assert_eq!(spread(1, 1), [1]);
        assert_eq!(spread(0, 4), Vec::<usize>::new());
    }
}
