//! cover: intervals that cover rectangles, in order and without a code in two of them.

use crate::on_every_backend;
use crate::support::{MIXES, fits, keys, wide};
use gpu_lsm_primitives::tuning::{COVER_INTERVALS, COVER_SPLITS};
use gpu_lsm_primitives::{Array, Backend, reference};

on_every_backend!(covers_as_the_reference_does, covers_every_rectangle_of_a_small_square, covers_little_more);

/// The intervals of each rectangle.
fn covered<B: Backend>(backend: &B, lower: &[u64], upper: &[u64]) -> Vec<Vec<(u64, u64)>> {
    let corners = (backend.upload(lower).unwrap(), backend.upload(upper).unwrap());
    let (starts, ends) = backend.cover(&corners.0, &corners.1).unwrap();
    let intervals = lower.len() * COVER_INTERVALS;
    assert_eq!((starts.len(), ends.len()), (intervals, intervals));
    let (starts, ends) =
        (backend.download(&starts, intervals).unwrap(), backend.download(&ends, intervals).unwrap());
    let intervals: Vec<_> = starts.into_iter().zip(ends).collect();
    intervals.chunks(COVER_INTERVALS).map(<[_]>::to_vec).collect()
}

fn covers_as_the_reference_does(backend: &impl Backend) {
    wide(backend, || {
        for len in [0, 1, 7, 8, 9, 300, 5000].into_iter().filter(|&len| fits(len)) {
            for mix in MIXES {
                let (lower, upper) = (keys(mix, len, 1), keys(mix, len, 2));
                let expected = lower.iter().zip(&upper).map(|(&l, &u)| reference::cover(l, u, COVER_SPLITS));
                assert!(covered(backend, &lower, &upper).into_iter().eq(expected), "{len} of {mix:?}");
            }
        }
    });
}

/// All pairs of points of a square of 8 by 8, also such that are no corners of a rectangle. The square lies where the
/// highest bits of both axes change.
fn covers_every_rectangle_of_a_small_square(backend: &impl Backend) {
    wide(backend, || {
        let middle = reference::code_of([1 << 31, 1 << 31]);
        let near = |step: u64| middle.wrapping_add(step).wrapping_sub(32);
        let points: Vec<u64> = (0..64).map(near).collect();
        let (lower, upper): (Vec<u64>, Vec<u64>) =
            points.iter().flat_map(|&lower| points.iter().map(move |&upper| (lower, upper))).unzip();
        for (i, intervals) in covered(backend, &lower, &upper).into_iter().enumerate() {
            let used: Vec<_> = intervals.into_iter().filter(|(start, end)| start <= end).collect();
            assert!(used.windows(2).all(|pair| pair[0].1 < pair[1].0), "rectangle {i}: {used:?}");
            let is_covered = |point: u64| used.iter().any(|&(start, end)| (start..=end).contains(&point));
            let is_in = |point: u64| reference::is_in(point, lower[i], upper[i]);
            assert!(points.iter().all(|&point| is_covered(point) || !is_in(point)), "rectangle {i}");
            let has_corners = used.first().is_none_or(|first| first.0 == lower[i])
                && used.last().is_none_or(|last| last.1 == upper[i]);
            assert!(has_corners, "rectangle {i}: {used:?}");
        }
    });
}

/// Squares of different sides, and at odd places.
fn covers_little_more(backend: &impl Backend) {
    wide(backend, || {
        let sides = [1u32, 2, 10, 1000, 1_000_000, 1 << 30];
        let place = |side: u32, i: u32| i.wrapping_mul(0x9E37_79B1) % (u32::MAX - side);
        let squares = sides.into_iter().flat_map(|side| (1..50).map(move |i| (side, place(side, i))));
        let corners = squares.clone().map(|(side, at)| {
            let (x, y) = (at, at.rotate_left(7) % (u32::MAX - side));
            (reference::code_of([x, y]), reference::code_of([x + side - 1, y + side - 1]))
        });
        let (lower, upper): (Vec<u64>, Vec<u64>) = corners.unzip();
        for ((side, _), intervals) in squares.zip(covered(backend, &lower, &upper)) {
            let used = intervals.into_iter().filter(|(start, end)| start <= end);
            let codes: u64 = used.map(|(start, end)| end - start + 1).sum();
            let points = u64::from(side) * u64::from(side);
            assert!((points..=points * 3 / 2).contains(&codes), "{codes} codes cover {points} points");
        }
    });
}
