//! The numbers of resident batches at which a structure is measured, and the number of repetitions.

/// A number of resident batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filling {
    /// The number of batches.
    pub batches: usize,
    /// Whether it is measured only for the minimum and the maximum.
    pub extreme: bool,
}

/// The number of repetitions for rows that would have only one or two samples. The median is taken.
pub const REPETITIONS: usize = 3;

/// The most repetitions of a query, however short it is and however long it is repeated.
pub const MOST_REPETITIONS: usize = 31;

/// How often each number of resident batches is measured, if there are `numbers` of them.
pub fn repetitions(numbers: usize) -> usize {
    if numbers < REPETITIONS { REPETITIONS } else { 1 }
}

/// Picks one of the numbers 1 to `all` from each of `samples` equal intervals, or all of them if there are not more.
///
/// The cost of a query depends on the number of full levels, which is the number of one bits of r, the number of
/// batches. The cost of a batch depends on the lowest one bit. So from each interval the r is picked that brings the
/// mean number of one bits closest to the mean over all r. Ties go to the parity that was picked less often so far, and
/// then to the r nearest to a point that moves through the intervals.
pub fn strata(all: usize, samples: usize) -> Vec<usize> {
    if all <= samples {
        return (1..=all).collect();
    }
    let mean = (1..=all).map(ones).sum::<f64>() / all as f64;
    let mut chosen: Vec<usize> = Vec::with_capacity(samples);
    for i in 0..samples {
        let (first, last) = (1 + i * all / samples, (i + 1) * all / samples);
        let so_far: f64 = chosen.iter().map(|&r| ones(r)).sum();
        let odd = chosen.iter().filter(|&&r| r % 2 == 1).count();
        let parity = usize::from(2 * odd <= i);
        let point = first as f64 + (i as f64 * GOLDEN).fract() * (last - first) as f64;
        let badness = |r: &usize| {
            let error = (so_far + ones(*r) - mean * (i + 1) as f64).abs();
            let other_parity = if r % 2 == parity { 0.0 } else { 1.0 };
            [error, other_parity, (*r as f64 - point).abs()]
        };
        let best = (first..=last).min_by(|one, other| {
            let pairs = badness(one).into_iter().zip(badness(other));
            pairs
                .map(|(one, other)| one.total_cmp(&other))
                .find(|order| order.is_ne())
                .unwrap_or(one.cmp(other))
        });
        chosen.extend(best);
    }
    chosen
}

/// The fractional part of the golden ratio: its multiples are evenly distributed.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// The number of full levels after `r` batches.
fn ones(r: usize) -> f64 {
    f64::from(r.count_ones())
}

/// [`strata`] of 1 to `all`. If those are not all numbers, also 1 and `all - 1`, for the minimum and the maximum: if
/// `all` is a power of two, all levels are full after `all - 1` batches.
pub fn with_extremes(all: usize, samples: usize) -> Vec<Filling> {
    let chosen = strata(all, samples);
    let mut residents: Vec<_> = chosen.iter().map(|&batches| Filling { batches, extreme: false }).collect();
    if chosen.len() < all {
        let missing = [1, all - 1].into_iter().filter(|r| !chosen.contains(r));
        residents.extend(missing.map(|batches| Filling { batches, extreme: true }));
        residents.sort_by_key(|resident| resident.batches);
        residents.dedup();
    }
    residents
}

#[cfg(test)]
mod tests {
    use super::{ones, strata, with_extremes};

    /// If only odd r were picked, as evenly spaced ones may be, both checks would fail.
    #[test]
    fn samples_have_as_many_full_levels_as_all_and_both_parities() {
        for all in [16, 64, 128, 256] {
            let chosen = strata(all, 8);
            assert_eq!(chosen.len(), 8);
            assert!(chosen.iter().enumerate().all(|(i, r)| (r - 1) * 8 / all == i), "{all}: {chosen:?}");
            let mean =
                |numbers: &[usize]| numbers.iter().map(|&r| ones(r)).sum::<f64>() / numbers.len() as f64;
            let every: Vec<_> = (1..=all).collect();
            assert!((mean(&chosen) - mean(&every)).abs() < 0.15, "{all}: {chosen:?}, {}", mean(&every));
            let odd = chosen.iter().filter(|r| *r % 2 == 1).count();
            assert!((3..=5).contains(&odd), "{all}: {chosen:?}");
        }
    }

    #[test]
    fn few_numbers_are_all_taken() {
        assert_eq!(strata(4, 8), [1, 2, 3, 4]);
        assert_eq!(strata(0, 4), Vec::<usize>::new());
        assert!(with_extremes(8, 8).iter().all(|resident| !resident.extreme));
    }

    #[test]
    fn the_best_and_the_worst_are_there_in_order_and_count_only_as_such() {
        for (all, samples) in [(16, 8), (64, 8), (128, 8), (256, 8), (16, 3), (4, 2), (2, 1)] {
            let residents = with_extremes(all, samples);
            let counting: Vec<_> = residents
                .iter()
                .filter(|resident| !resident.extreme)
                .map(|resident| resident.batches)
                .collect();
            assert_eq!(counting, strata(all, samples));
            assert!(residents.iter().any(|resident| resident.batches == 1));
            assert!(residents.iter().any(|resident| resident.batches == all - 1));
            assert!(residents.is_sorted_by(|one, next| one.batches < next.batches), "{residents:?}");
        }
    }
}
