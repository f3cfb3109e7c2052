//! Exact rectangle queries on points.
//!
//! Quarters of the plane, and quarters of these, are intervals of the Z-curve, so a rectangle is a union of such
//! intervals. An exact union takes about as many intervals as the rectangle's outline is long. A bounded number covers
//! a little more than the rectangle, and points outside it are then left out of the answer.

use crate::error::{Error, Result};
use crate::key::Key;
use crate::lists::extend;
use crate::morton::Morton;
use crate::range::Ranges;
use crate::snapshot::Snapshot;
use gpu_lsm_primitives::Value;

/// The most intervals per rectangle.
const INTERVALS: usize = 32;
/// The number of rectangles that are split before their intervals are queried. Their intervals occupy 3 MiB.
const AT_ONCE: usize = 1 << 12;
/// The most squares that form these intervals: along an edge of the plane, many squares can form few intervals.
const SQUARES: usize = 256;

impl<V: Value> Snapshot<Morton, V> {
    /// Finds the points in each rectangle from corner `lower[i]` to corner `upper[i]`, both inclusive, in ascending
    /// order of keys. A rectangle is empty if a lower coordinate is above the upper one. Waits for the device.
    ///
    /// ```
    /// use gpu_lsm::{Config, Device, Dictionary, Morton};
    /// let points = [(1, 1), (2, 9), (3, 3)].map(|(x, y)| Morton { x, y });
    /// let ids = Dictionary::build(&Device::host(), Config::new(), &points, &[10u32, 11, 12])?;
    /// let found = ids.rectangles(&[Morton { x: 2, y: 2 }], &[Morton { x: 9, y: 9 }])?;
    /// assert_eq!(found.values(), [12, 11]);
    /// # Ok::<(), gpu_lsm::Error>(())
    /// ```
    ///
    /// Costs a [`range`](Self::range) of at most 32 intervals per rectangle. The host computes the intervals, one
    /// rectangle after the other. Together the intervals cover the rectangle and some points near it, which the host
    /// then leaves out: few if the rectangle is about as wide as high, many if it is long and thin. Split such a
    /// rectangle into several.
    ///
    /// # Errors
    /// Those of [`count`](Self::count).
    pub fn rectangles(&self, lower: &[Morton], upper: &[Morton]) -> Result<Ranges<Morton, V>> {
        if lower.len() != upper.len() {
            return Err(Error::UnequalBounds { lower: lower.len(), upper: upper.len() });
        }
        let meter = self.meter();
        let mut offsets: Vec<u64> = meter.vector(lower.len() + 1)?;
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        let mut leases = Vec::new();
        offsets.push(0);
        for (lower, upper) in lower.chunks(AT_ONCE).zip(upper.chunks(AT_ONCE)) {
            let found = self.rectangles_at_once(lower, upper)?;
            leases.push(meter.returned(found.bytes())?);
            let start = keys.len() as u64;
            offsets.extend(found.offsets()[1..].iter().map(|end| start + end));
            let (_, more_keys, more_values) = found.into_parts();
            extend(meter, &mut keys, more_keys)?;
            extend(meter, &mut values, more_values)?;
        }
        Ok(Ranges::new(offsets, keys, values))
    }

    /// The same for few rectangles: all their intervals are computed before any is queried.
    fn rectangles_at_once(&self, lower: &[Morton], upper: &[Morton]) -> Result<Ranges<Morton, V>> {
        let meter = self.meter();
        let most = lower.len() * INTERVALS;
        let _lease = meter.returned((most * (2 * size_of::<Morton>() + size_of::<usize>())) as u64)?;
        let (mut starts, mut ends, mut owners) =
            (meter.vector(most)?, meter.vector(most)?, meter.vector(most)?);
        for (rectangle, (&lower, &upper)) in lower.iter().zip(upper).enumerate() {
            for (start, end) in intervals(lower, upper) {
                starts.push(Morton::from_code(start));
                ends.push(Morton::from_code(end));
                owners.push(rectangle);
            }
        }
        let found = self.range(&starts, &ends)?;
        let (mut keys, mut values) = (meter.vector(found.keys().len())?, meter.vector(found.keys().len())?);
        let mut offsets: Vec<u64> = meter.vector(lower.len() + 1)?;
        for (&owner, (found_keys, found_values)) in owners.iter().zip(found.iter()) {
            offsets.resize(owner + 1, keys.len() as u64);
            for (&key, &value) in found_keys.iter().zip(found_values) {
                if key.is_in(lower[owner], upper[owner]) {
                    keys.push(key);
                    values.push(value);
                }
            }
        }
        offsets.resize(lower.len() + 1, keys.len() as u64);
        Ok(Ranges::new(offsets, keys, values))
    }
}

/// A square of the plane that is one interval of the curve. `code` is the code of its lower corner, `1 << level` its
/// side.
#[derive(Clone, Copy)]
struct Square {
    code: u64,
    level: u32,
}

impl Square {
    const PLANE: Self = Self { code: 0, level: 32 };

    /// The codes of its lower and its upper corner.
    fn ends(self) -> (u64, u64) {
        let len = 1u128 << (2 * self.level);
        (self.code, (u128::from(self.code) + len - 1) as u64)
    }

    fn corners(self) -> (Morton, Morton) {
        let (start, end) = self.ends();
        (Morton::from_code(start), Morton::from_code(end))
    }

    fn quarters(self) -> [Self; 4] {
        let level = self.level - 1;
        [0, 1, 2, 3].map(|i| Self { code: self.code + (i << (2 * level)), level })
    }

    fn touches(self, lower: Morton, upper: Morton) -> bool {
        let (first, last) = self.corners();
        first.x <= upper.x && last.x >= lower.x && first.y <= upper.y && last.y >= lower.y
    }

    fn is_within(self, lower: Morton, upper: Morton) -> bool {
        let (first, last) = self.corners();
        first.is_in(lower, upper) && last.is_in(lower, upper)
    }
}

/// At most [`INTERVALS`] intervals of codes that cover a rectangle. They ascend and do not touch.
///
/// Splits squares into quarters, level by level, while the result stays within the limits.
fn intervals(lower: Morton, upper: Morton) -> Vec<(u64, u64)> {
    if lower.x > upper.x || lower.y > upper.y {
        return Vec::new();
    }
    let mut squares = vec![Square::PLANE];
    loop {
        let is_split = |square: &&Square| !square.is_within(lower, upper);
        let finer: Vec<Square> = squares
            .iter()
            .flat_map(|square| match is_split(&square) {
                true => square.quarters().to_vec(),
                false => vec![*square],
            })
            .filter(|square| square.touches(lower, upper))
            .collect();
        let is_enough = finer.len() > SQUARES || joined(&finer).len() > INTERVALS;
        if is_enough || !squares.iter().any(|square| is_split(&square)) {
            return joined(&squares);
        }
        squares = finer;
    }
}

/// The intervals of squares that are in ascending order. Adjacent squares share an interval.
fn joined(squares: &[Square]) -> Vec<(u64, u64)> {
    let mut intervals: Vec<(u64, u64)> = Vec::new();
    for (start, end) in squares.iter().map(|square| square.ends()) {
        match intervals.last_mut() {
            Some(last) if last.1.checked_add(1) == Some(start) => last.1 = end,
            _ => intervals.push((start, end)),
        }
    }
    intervals
}

#[cfg(test)]
mod tests {
    use super::{INTERVALS, intervals};
    use crate::key::Key;
    use crate::morton::Morton;

    #[test]
    fn intervals_cover_a_rectangle_are_few_ascend_and_do_not_touch() {
        for (lower, upper) in [((3, 5), (9, 6)), ((0, 0), (63, 63)), ((7, 0), (7, 63)), ((1, 1), (62, 62))] {
            let corner = |(x, y)| Morton { x, y };
            let found = intervals(corner(lower), corner(upper));
            assert!((1..=INTERVALS).contains(&found.len()));
            assert!(found.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
            for point in (0..64).flat_map(|x| (0..64).map(move |y| Morton { x, y })) {
                let is_covered = found.iter().any(|&(start, end)| (start..=end).contains(&point.to_code()));
                assert!(is_covered || !point.is_in(corner(lower), corner(upper)), "{point:?}");
            }
        }
    }

    /// Every square along the left edge is split again, and all form one interval. The splitting must end all the same.
    #[test]
    fn all_but_one_column_is_split_into_few_squares() {
        let found = intervals(Morton { x: 1, y: 0 }, Morton::MAX);
        assert!(found.len() <= INTERVALS && found[found.len() - 1].1 == u64::MAX);
    }

    #[test]
    fn the_whole_plane_is_one_interval_and_an_empty_rectangle_none() {
        let (lower, upper) = (Morton::MIN, Morton::MAX);
        assert_eq!(intervals(lower, upper), [(0, u64::MAX)]);
        assert!(intervals(Morton { x: 2, y: 0 }, Morton { x: 1, y: 9 }).is_empty());
        let last = Morton { x: u32::MAX, y: u32::MAX };
        assert_eq!(intervals(last, last), [(u64::MAX, u64::MAX)]);
    }
}
