//! Axes of plots: the position of a number, and the labels.

use crate::report::table::size;

/// An axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    /// The ends, after the mapping.
    low: f64,
    high: f64,
    steps: Steps,
}

/// The meaning of a step along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Steps {
    Add,
    Double,
    Tenfold,
}

/// The smallest number that a logarithmic axis shows.
const TINY: f64 = 1e-12;

impl Axis {
    /// From 0 to slightly more than the highest number.
    pub(crate) fn from_zero(high: f64) -> Self {
        Self { low: 0.0, high: (high * 1.06).max(TINY), steps: Steps::Add }
    }

    /// From the lowest number to the highest.
    pub(crate) fn plain(numbers: impl Iterator<Item = f64>) -> Self {
        let (low, high) = extent(numbers);
        Self { low, high: high.max(low + TINY), steps: Steps::Add }
    }

    /// A logarithmic axis: each step to the right doubles.
    pub(crate) fn doubling(numbers: impl Iterator<Item = f64>) -> Self {
        let (low, high) = extent(numbers.map(|number| number.max(TINY).log2()));
        Self { low: low - 0.15, high: high + 0.15, steps: Steps::Double }
    }

    /// A logarithmic axis: each step up multiplies by ten.
    pub(crate) fn tens(numbers: impl Iterator<Item = f64>) -> Self {
        let (low, high) = extent(numbers.map(|number| number.max(TINY).log10()));
        let low = low.floor();
        Self { low, high: high.ceil().max(low + 1.0), steps: Steps::Tenfold }
    }

    /// The position of a number on the axis, from 0 to 1.
    pub(crate) fn share(&self, number: f64) -> f64 {
        let mapped = match self.steps {
            Steps::Add => number,
            Steps::Double => number.max(TINY).log2(),
            Steps::Tenfold => number.max(TINY).log10(),
        };
        (mapped - self.low) / (self.high - self.low)
    }

    /// The labels of the axis, at most about `most`.
    pub(crate) fn labels(&self, most: usize) -> Vec<(f64, String)> {
        let step = self.step(most);
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        let label = |i: i64| {
            let mapped = i as f64 * step;
            match self.steps {
                Steps::Add => (mapped, plain(mapped, step)),
                Steps::Double => (mapped.exp2(), size(mapped.exp2() as usize)),
                Steps::Tenfold => (10f64.powf(mapped), power_of_ten(mapped)),
            }
        };
        (first..=last).map(label).collect()
    }

    /// The distance between labels: 1, 2 or 5 times a power of ten; an integer on a logarithmic axis.
    fn step(&self, most: usize) -> f64 {
        let least = (self.high - self.low) / most as f64;
        let ten = 10f64.powf(least.log10().floor());
        let step = [1.0, 2.0, 5.0].map(|factor| factor * ten).into_iter().find(|step| *step >= least);
        let step = step.unwrap_or(10.0 * ten);
        if self.steps == Steps::Add { step } else { step.max(1.0).round() }
    }
}

/// Ten to an integer power, written out if it is short.
fn power_of_ten(exponent: f64) -> String {
    match exponent {
        0.0..=3.0 => format!("{:.0}", 10f64.powf(exponent)),
        -3.0..0.0 => plain(10f64.powf(exponent), 10f64.powf(exponent)),
        _ => format!("10^{exponent}"),
    }
}

/// A number with the digits that a step requires.
fn plain(number: f64, step: f64) -> String {
    let digits = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{number:.digits$}")
}

fn extent(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = numbers
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)));
    if ends.0 <= ends.1 { ends } else { (0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::Axis;

    fn texts(axis: &Axis) -> Vec<String> {
        axis.labels(8).into_iter().map(|label| label.1).collect()
    }

    #[test]
    fn labels_are_round_numbers_within_the_axis() {
        assert_eq!(texts(&Axis::from_zero(10.0)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts(&Axis::from_zero(0.3)), ["0.00", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30"]);
        assert_eq!(texts(&Axis::tens([0.02, 300.0].into_iter())), ["0.01", "0.1", "1", "10", "100", "1000"]);
        assert_eq!(texts(&Axis::doubling([1.0, 8.0].into_iter())), ["1", "2", "4", "8"]);
    }

    #[test]
    fn numbers_stand_where_their_labels_do() {
        let axis = Axis::tens([1.0, 100.0].into_iter());
        assert!((axis.share(10.0) - 0.5).abs() < 1e-12);
        assert!((Axis::from_zero(10.0).share(5.3) - 0.5).abs() < 1e-12);
    }
}
