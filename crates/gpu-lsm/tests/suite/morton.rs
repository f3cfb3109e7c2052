//! Points on a plane: rectangles are exact, whichever intervals they are split into. Corners and results may be on the device.

use crate::on_every_device;
use crate::support::{Operation, Pair, cost, on_gpu, rng, wide};
use gpu_lsm::{Buffer, Config, Device, Dictionary, Error, Key, Morton, Ranges};
use rand::RngExt;

on_every_device!(
    rectangles_find_just_the_points_inside,
    corners_of_the_plane,
    rectangles_on_the_device_copy_nothing_and_wait_twice,
    rectangles_that_are_deleted_take_nothing_else_away,
    rectangles_that_are_inserted_elsewhere_bring_nothing_else,
    what_rectangles_found_are_corners_and_queries,
    rectangles_without_points_change_nothing,
);

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
            let there = (device.upload_keys(&lower).unwrap(), device.upload_keys(&upper).unwrap());
            let (here, on_device) = (&pair.dictionary, pair.dictionary.on_device());
            check(&pair, &lower, &upper, &here.rectangles(&lower, &upper).unwrap());
            check(&pair, &lower, &upper, &here.rectangles(&lower, &there.1).unwrap());
            let found = on_device.rectangles(&there.0, &there.1).unwrap();
            check(&pair, &lower, &upper, &found.read().unwrap());
            let found = on_device.rectangles(&lower, &upper).unwrap();
            check(&pair, &lower, &upper, &found.read().unwrap());
        }
    });
}

fn check(pair: &Pair<Morton, u32>, lower: &[Morton], upper: &[Morton], found: &Ranges<Morton, u32>) {
    assert_eq!(found.len(), lower.len());
    for (i, (keys, values)) in found.iter().enumerate() {
        let expected = inside(pair, lower[i], upper[i]);
        let is_same = keys.iter().copied().zip(values.iter().copied()).eq(expected);
        assert!(is_same, "from {:?} to {:?}", lower[i], upper[i]);
    }
}

/// The model's points in a rectangle, in ascending order.
fn inside(pair: &Pair<Morton, u32>, lower: Morton, upper: Morton) -> impl Iterator<Item = (Morton, u32)> {
    let is_in =
        move |point: Morton| (lower.x..=upper.x).contains(&point.x) && (lower.y..=upper.y).contains(&point.y);
    let points = pair.model.iter().map(|(&code, &value)| (Morton::from_code(code), value));
    points.filter(move |(point, _)| is_in(*point))
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

/// A square of 60 by 60 points, of which a third is deleted and a third has its second value; and two rectangles in it, as
/// buffers, which overlap.
fn square(device: &Device) -> (Pair<Morton, u32>, [Morton; 2], [Morton; 2]) {
    let mut pair = Pair::new(device, 2400);
    let points = || (0..3600).map(|i| (Morton { x: i % 60, y: i / 60 }, i));
    pair.apply(&points().map(|(point, i)| (point, Some(i))).collect::<Vec<_>>());
    let third = |rest: u32| points().filter(move |(_, i)| i % 3 == rest);
    let changed = third(1).map(|(point, i)| (point, Some(i + 9000)));
    pair.apply(&changed.chain(third(2).map(|(point, _)| (point, None))).collect::<Vec<_>>());
    assert_eq!(pair.dictionary.statistics().levels.len(), 2, "what was changed is in two runs");
    let (lower, upper) = ([(5, 7), (20, 0)], [(31, 22), (59, 40)]);
    (pair, lower.map(|(x, y)| Morton { x, y }), upper.map(|(x, y)| Morton { x, y }))
}

fn there(device: &Device, points: &[Morton]) -> Buffer<[u32; 2]> {
    device.upload_keys(points).unwrap()
}

/// The points that both rectangles have, one after the other.
fn expected(pair: &Pair<Morton, u32>, lower: &[Morton], upper: &[Morton]) -> Vec<(Morton, u32)> {
    lower.iter().zip(upper).flat_map(|(&lower, &upper)| inside(pair, lower, upper)).collect()
}

fn rectangles_on_the_device_copy_nothing_and_wait_twice(device: &Device) {
    wide(device, || {
        let (mut pair, lower, upper) = square(device);
        let (lower, upper) = (there(device, &lower), there(device, &upper));
        let dictionary = &mut pair.dictionary;
        let query =
            |dictionary: &mut Dictionary<Morton, u32>| dictionary.on_device().rectangles(&lower, &upper);
        let in_two_levels = cost(dictionary, query);
        assert_eq!(
            in_two_levels,
            on_gpu(device, 2 * 4 + 4, 2),
            "a number for each level, and one for the points"
        );
        dictionary.cleanup().unwrap();
        assert_eq!(cost(dictionary, query), on_gpu(device, 4 + 4, 2));
    });
}

fn rectangles_that_are_deleted_take_nothing_else_away(device: &Device) {
    wide(device, || {
        let (mut pair, lower, upper) = square(device);
        let found = pair.dictionary.on_device().rectangles(lower, there(device, &upper)).unwrap();
        let expected = expected(&pair, &lower, &upper);
        assert_eq!((found.keys.len(), found.values.len()), (expected.len(), expected.len()));
        pair.dictionary.delete(&found.keys).unwrap();
        pair.tell_model(&expected.iter().map(|entry| (entry.0, None)).collect::<Vec<_>>());
        pair.check_all("after a delete");
        let left = pair.dictionary.rectangles(lower, upper).unwrap();
        assert!(left.keys().is_empty(), "{} points", left.keys().len());
    });
}

fn rectangles_that_are_inserted_elsewhere_bring_nothing_else(device: &Device) {
    wide(device, || {
        let (pair, lower, upper) = square(device);
        let found = pair.dictionary.on_device().rectangles(lower, upper).unwrap();
        let expected = expected(&pair, &lower, &upper);
        let mut other = Pair::<Morton, u32>::new(device, 64);
        // Points in both rectangles come twice. Every fifth operation is a delete, which may be the last on its point.
        let flags: Vec<u32> = (0..expected.len()).map(|i| u32::from(i % 5 == 4)).collect();
        let flags_there = device.upload(&flags).unwrap();
        other.dictionary.apply_columns(&found.keys, &found.values, &flags_there).unwrap();
        let operation = |(&(key, value), flag): (&(Morton, u32), u32)| (key, (flag == 0).then_some(value));
        let operations: Vec<Operation<Morton, u32>> = expected.iter().zip(flags).map(operation).collect();
        other.tell_model(&operations);
        other.check_all("after mixed operations");
        let mut all = Dictionary::<Morton, u32>::new(device).unwrap();
        all.insert(&found.keys, &found.values).unwrap();
        assert_eq!(all.rectangles(lower, upper).unwrap(), found.read().unwrap());
    });
}

/// Every point that was found is a rectangle of its own, and a key of lookups and ranges.
fn what_rectangles_found_are_corners_and_queries(device: &Device) {
    wide(device, || {
        let (pair, lower, upper) = square(device);
        let on_device = pair.dictionary.on_device();
        let found = on_device.rectangles(lower, upper).unwrap();
        let expected = expected(&pair, &lower, &upper);
        let again = on_device.rectangles(&found.keys, &found.keys).unwrap().read().unwrap();
        assert_eq!(again.len(), expected.len());
        assert!(again.entries().eq(expected.iter().copied()), "each point alone");
        let answers = on_device.lookup(&found.keys).unwrap().read().unwrap();
        assert!(answers.iter().eq(expected.iter().map(|entry| Some(entry.1))));
        let counts = on_device.count(&found.keys, &found.keys).unwrap().read().unwrap();
        assert_eq!(counts, vec![1; expected.len()]);
    });
}

fn rectangles_without_points_change_nothing(device: &Device) {
    wide(device, || {
        let (mut pair, lower, upper) = square(device);
        let found = pair.dictionary.on_device().rectangles(upper, lower).unwrap();
        assert_eq!((found.keys.len(), found.offsets.read().unwrap()), (0, vec![0, 0, 0]), "upside down");
        pair.dictionary.delete(&found.keys).unwrap();
        pair.dictionary.insert(&found.keys, &found.values).unwrap();
        pair.check_all("nothing happened");
        let none = there(device, &[]);
        assert_eq!(pair.dictionary.on_device().rectangles(&none, &none).unwrap().read().unwrap().len(), 0);
        let empty = Dictionary::<Morton, u32>::with_config(device, Config::new()).unwrap();
        let found = empty.on_device().rectangles(lower, upper).unwrap();
        assert_eq!((found.keys.len(), found.read().unwrap().offsets()), (0, &[0, 0, 0][..]));
        let error = empty.on_device().rectangles(lower, &none).unwrap_err();
        assert!(matches!(error, Error::UnequalBounds { lower: 2, upper: 0 }));
    });
}
