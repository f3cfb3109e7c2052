//! Minimum, maximum, harmonic mean and percentiles.

use serde::{Deserialize, Serialize};

/// Statistics of several rates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// The lowest.
    pub min: f64,
    /// The highest.
    pub max: f64,
    /// The harmonic mean: the rate of all samples together if each had the same amount of work.
    pub mean: f64,
    /// The number of rates.
    pub samples: usize,
}

impl Rates {
    /// The extremes and the mean of the rates; `None` if there are none.
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

/// The value that a `share` of the numbers do not exceed, by the nearest-rank method; `None` if there are none.
pub fn percentile(numbers: &[f64], share: f64) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::{Rates, percentile};

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
}
