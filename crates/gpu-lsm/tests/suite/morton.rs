//! Points on a plane: rectangles are exact, whichever intervals they are split into.

use crate::on_every_device;
use crate::support::{Pair, rng, wide};
use gpu_lsm::{Device, Error, Key, Morton};
use rand::RngExt;

on_every_device!(rectangles_find_just_the_points_inside, corners_of_the_plane);

fn rectangles_find_just_the_points_inside(device: &Device) {
    wide(device, || {
        let mut rng = rng(8);
        let mut pair = Pair::<Morton, u32>::new(device, 256);
        for scale in [40, 3000, u32::MAX] {
            for step in 0..5 {
                let mut point = || Morton { x: rng.random_range(0..scale), y: rng.random_range(0..scale) };
                let mut operations: Vec<_> = (0..700).map(|i| (point(), Some(i + step * 1000))).collect();
                operations.extend((0..100).map(|_| (point(), None)));
                pair.apply(&operations);
            }
            let mut corner = || Morton { x: rng.random_range(0..=scale), y: rng.random_range(0..=scale) };
            let (lower, upper): (Vec<Morton>, Vec<Morton>) = (0..200).map(|_| (corner(), corner())).unzip();
            let found = pair.dictionary.rectangles(&lower, &upper).unwrap();
            assert_eq!(found.len(), lower.len());
            for (i, (keys, values)) in found.iter().enumerate() {
                let is_in = |point: Morton| {
                    (lower[i].x..=upper[i].x).contains(&point.x)
                        && (lower[i].y..=upper[i].y).contains(&point.y)
                };
                let expected = pair.model.iter().map(|(&code, value)| (Morton::from_code(code), value));
                let expected = expected.filter(|(point, _)| is_in(*point));
                assert!(
                    keys.iter().copied().zip(values).eq(expected),
                    "from {:?} to {:?}",
                    lower[i],
                    upper[i]
                );
            }
        }
    });
}

fn corners_of_the_plane(device: &Device) {
    wide(device, || {
        let mut pair = Pair::<Morton, u32>::new(device, 8);
        let last = u32::MAX;
        let corners =
            [(0, 0), (last, 0), (0, last), (last, last), (1 << 31, 1 << 31)].map(|(x, y)| Morton { x, y });
        pair.apply(&corners.map(|corner| (corner, Some(corner.x ^ corner.y))));
        let all = pair.dictionary.rectangles(&[Morton::MIN], &[Morton::MAX]).unwrap();
        assert_eq!(all.keys().len(), 5);
        let each = pair.dictionary.rectangles(&corners, &corners).unwrap();
        assert_eq!((each.offsets(), each.keys()), (&[0, 1, 2, 3, 4, 5][..], &corners[..]));
        let right = pair.dictionary.rectangles(&[Morton { x: 1, y: 0 }], &[Morton::MAX]).unwrap();
        assert_eq!(right.keys().len(), 3);
        assert_eq!(pair.dictionary.rectangles(&[], &[]).unwrap().len(), 0);
        let error = pair.dictionary.rectangles(&corners, &[]).unwrap_err();
        assert!(matches!(error, Error::UnequalBounds { lower: 5, upper: 0 }));
    });
}
