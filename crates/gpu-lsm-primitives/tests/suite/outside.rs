//! outside: the candidates of rectangles, with marks for those outside and for tombstones.

use crate::on_every_backend;
use crate::support::{Mix, fits, keys, rng, wide};
use gpu_lsm_primitives::reference::{self, Entries, code_of, is_in};
use gpu_lsm_primitives::{Backend, Candidates, Start, mark_words};
use rand::RngExt;

on_every_backend!(marks_what_is_outside, marks_nothing_of_nothing);

/// The candidates of rectangles, with their number.
fn candidates<B: Backend>(
    backend: &B,
    points: &Entries<u64, u32>,
    corners: (&B::Array<u64>, &B::Array<u64>),
) -> (Candidates<B, u64, u32>, usize) {
    let run = reference::upload(backend, points).unwrap();
    let (starts, ends) = backend.cover(corners.0, corners.1).unwrap();
    let bounds = backend.bounds(&run, &starts, &ends, Start::At).unwrap();
    let total = backend.read_counts(&[&bounds.total]).unwrap()[0] as usize;
    // With room for more entries than there are.
    (backend.expand(&run, &bounds, total + 40).unwrap(), total)
}

/// Points of a small square and of the whole plane, with and without tombstones. One rectangle has all of them, and most of those
/// before and after it have none or few.
fn marks_what_is_outside<B: Backend>(backend: &B) {
    wide(backend, || {
        let mut rng = rng(4);
        let cases = [(10, 16, 5), (5000, 100, 900), (5000, u32::MAX, 300), (60_000, 1000, 100)];
        for (len, side, small) in cases.into_iter().filter(|case| fits(case.0)) {
            let mut point = |side: u32| code_of([rng.random_range(0..=side), rng.random_range(0..=side)]);
            let mut codes: Vec<u64> = (0..len).map(|_| point(side)).collect();
            codes.sort_unstable();
            codes.dedup();
            let (mut lower, mut upper): (Vec<u64>, Vec<u64>) =
                (0..2 * small).map(|_| (point(side), point(side))).unzip();
            // Squares beside large ones, of which few overlap.
            for i in (0..2 * small).filter(|i| i % 64 > 0) {
                upper[i] = lower[i] | point(side / 16);
            }
            (lower[small], upper[small]) = (0, u64::MAX);
            for every in [usize::MAX, 3] {
                let entry = |(i, &code): (usize, &u64)| {
                    let is_tombstone = i % every == 1;
                    (code, if is_tombstone { 0 } else { i as u32 + 7 }, is_tombstone)
                };
                let points: Entries<u64, u32> = codes.iter().enumerate().map(entry).collect();
                check(backend, &points, &lower, &upper);
            }
        }
    });
}

fn check<B: Backend>(backend: &B, points: &Entries<u64, u32>, lower: &[u64], upper: &[u64]) {
    let corners = (backend.upload(lower).unwrap(), backend.upload(upper).unwrap());
    let (found, total) = candidates(backend, points, (&corners.0, &corners.1));
    let outside = backend.outside(&found, &corners.0, &corners.1).unwrap();
    let offsets = backend.download(&outside.offsets, lower.len() + 1).unwrap();
    assert_eq!(offsets.last(), Some(&(total as u32)));
    let keys = backend.download(&outside.entries.keys, total).unwrap();
    let marks = outside.entries.marks.as_ref().unwrap();
    let marks = backend.download(marks, mark_words(total)).unwrap();
    let is_tombstone = |key: u64| points[points.binary_search_by_key(&key, |point| point.0).unwrap()].2;
    for rectangle in 0..lower.len() {
        let (start, end) = (offsets[rectangle] as usize, offsets[rectangle + 1] as usize);
        for (i, &key) in (start..end).zip(&keys[start..end]) {
            let expected = is_tombstone(key) || !is_in(key, lower[rectangle], upper[rectangle]);
            assert_eq!(reference::bit(&marks, i), expected, "point {i} of rectangle {rectangle}");
        }
    }
    let live = backend.live(&outside).unwrap();
    let inside = |(&lower, &upper): (&u64, &u64)| -> Entries<u64, u32> {
        points.iter().filter(|point| !point.2 && is_in(point.0, lower, upper)).copied().collect()
    };
    let expected: Vec<_> = lower.iter().zip(upper).map(inside).collect();
    let lens: Vec<u32> = expected.iter().map(|points| points.len() as u32).collect();
    assert_eq!(backend.download(&live.offsets, lower.len() + 1).unwrap(), reference::scan(&lens));
    let difference = reference::pile_difference(backend, &live.entries, &expected.concat()).unwrap();
    assert_eq!(difference, None);
}

fn marks_nothing_of_nothing<B: Backend>(backend: &B) {
    wide(backend, || {
        let nothing = Entries::new();
        check(backend, &nothing, &[], &[]);
        check(backend, &nothing, &[0, 9], &[u64::MAX, 3]);
        let some = keys(Mix::Dense, 100, 1).into_iter().map(|key| (key, 1, false)).collect();
        check(backend, &some, &[], &[]);
    });
}
