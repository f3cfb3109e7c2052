//! Beyond the largest array: what happens past 2^32 entries and elements, on a host with a far lower limit.

use crate::support::{Pair, batch, random_operations, rng, spread};
use gpu_lsm::{BackendError, Config, Device, Dictionary, Error, Morton};
use rand::RngExt;

/// The most elements of an array in these tests; 2^32 - 1 otherwise.
const LARGEST: u64 = 1000;

fn small_host() -> Device {
    Device::host_with_arrays_of_at_most(LARGEST)
}

fn is_too_large<T: std::fmt::Debug>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(Error::Backend(BackendError::TooLarge { .. })))
}

fn is_too_many<T: std::fmt::Debug>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(Error::TooManyCandidates { .. }))
}

/// As many entries as the oldest run can have, and half as many in a newer run.
fn filled() -> Dictionary<u32, u32> {
    let mut dictionary = Dictionary::with_config(&small_host(), Config::new().with_batch_size(64)).unwrap();
    let keys: Vec<u32> = (0..1500).collect();
    for part in [&keys[..1000], &keys[1000..]] {
        dictionary.insert(part, part).unwrap();
    }
    assert_eq!(dictionary.statistics().levels.len(), 2);
    dictionary
}

#[test]
fn entries_of_several_runs_are_counted_past_the_largest_number() {
    let dictionary = filled();
    assert_eq!(dictionary.len().unwrap(), 1500);
    assert_eq!(dictionary.count(&[0, 5, 1500], &[u32::MAX, 1504, 1509]).unwrap(), [1500, 1495, 0]);
    let counts = dictionary.on_device().count(&[0], &[u32::MAX]);
    assert!(is_too_large(&counts), "32 bits could not hold them: {counts:?}");
    assert_eq!(dictionary.successor(&[1499]).unwrap().get(0), Some((1499, 1499)));
}

#[test]
fn deletes_and_overwrites_are_counted_past_the_largest_number() {
    let mut dictionary = filled();
    let gone: Vec<u32> = (0..100).map(|i| i * 7).collect();
    dictionary.delete(&gone[..50]).unwrap();
    assert_eq!(dictionary.len().unwrap(), 1450);
    assert_eq!(dictionary.count(&[0, 0], &[u32::MAX, 349]).unwrap(), [1450, 300]);
    dictionary.verify().unwrap();
}

#[test]
fn results_of_several_queries_may_be_more_than_an_array_holds() {
    let dictionary = filled();
    let (lower, upper): (Vec<u32>, Vec<u32>) = (0..20).map(|i| (i * 30, i * 30 + 899)).unzip();
    let found = dictionary.range(&lower, &upper).unwrap();
    assert_eq!(found.keys().len(), 20 * 900);
    assert!(
        found
            .iter()
            .zip(&lower)
            .all(|((keys, values), &low)| { keys == values && keys.iter().copied().eq(low..low + 900) })
    );
    let error = dictionary.range(&[0], &[u32::MAX]).expect_err("a single query can't be split");
    assert_eq!(error, Error::TooManyCandidates { candidates: 1500, limit: LARGEST });
    let queries: Vec<u32> = (0..5000).collect();
    let answers = dictionary.lookup(&queries).unwrap();
    assert!(answers.iter().zip(0..).all(|(value, key)| value == (key < 1500).then_some(key)));
    let near = dictionary.predecessor(&queries).unwrap();
    assert!(near.keys().iter().zip(0..).all(|(&found, key)| found == key.min(1499)));
    let first = dictionary.range_first(&queries, &vec![u32::MAX; 5000], 3).unwrap();
    assert!(
        first.iter().zip(0..1500).all(|((keys, _), low)| keys.iter().copied().eq(low..1500.min(low + 3)))
    );
}

/// Intervals in buffers that share entries are united on the host if these are more than an array holds, however few each has.
#[test]
fn a_range_delete_by_buffers_may_find_more_than_an_array_holds() {
    let device = small_host();
    let keys: Vec<u32> = (0..100).collect();
    let mut dictionary = Dictionary::build(&device, Config::new(), &keys, &keys).unwrap();
    let (lower, upper) = (device.upload(&[10u32; 20]).unwrap(), device.upload(&[89u32; 20]).unwrap());
    assert!(is_too_many(&dictionary.range(&lower, &upper)));
    dictionary.delete_range(&lower, &upper).unwrap();
    assert!(dictionary.range_in(..).unwrap().0.into_iter().eq((0..10).chain(90..100)));
    dictionary.verify().unwrap();
}

/// 32 intervals per rectangle, and about as many candidates as points.
#[test]
fn rectangles_of_more_than_an_array_holds_are_answered_in_pieces() {
    let points: Vec<Morton> = (0..900).map(|i| Morton { x: i % 30, y: i / 30 }).collect();
    let config = Config::new().with_batch_size(64);
    let numbers: Vec<u32> = (0..900).collect();
    let dictionary = Dictionary::build(&small_host(), config, &points, &numbers).unwrap();
    let (lower, upper): (Vec<Morton>, Vec<Morton>) =
        (0..50).map(|i| (Morton { x: i % 5, y: i % 3 }, Morton { x: 20 + i % 5, y: 29 })).unzip();
    let found = dictionary.rectangles(&lower, &upper).unwrap();
    for (i, (keys, values)) in found.iter().enumerate() {
        assert_eq!(keys.len(), 21 * (30 - i % 3));
        assert!(keys.iter().zip(values).all(|(key, &value)| key.x + 30 * key.y == value));
    }
    let refused = dictionary.on_device().rectangles(&lower, &upper);
    assert!(is_too_large(&refused), "32 intervals of each are more than an array holds");
    let few = dictionary.on_device().rectangles(&lower[..2], &upper[..2]).unwrap_err();
    assert!(matches!(few, Error::TooManyCandidates { limit: LARGEST, .. }), "{few}");
}

#[test]
fn what_is_past_the_largest_is_refused_and_changes_nothing() {
    let mut dictionary = filled();
    let before = dictionary.statistics().levels;
    let more: Vec<u32> = (5000..5500).collect();
    assert!(is_too_large(&dictionary.insert(&more, &more)), "the merged run would be too long");
    let many = vec![7u32; LARGEST as usize + 1];
    assert!(is_too_large(&dictionary.insert(&many, &many)));
    assert!(is_too_large(&small_host().upload(&many)));
    assert_eq!(dictionary.statistics().levels, before);
    dictionary.verify().unwrap();
    dictionary.delete_range(&[0], &[99]).unwrap();
    assert_eq!(dictionary.first().unwrap(), Some((100, 100)), "and takes the next update");
}

/// Random lives. Batches that are refused must change nothing.
#[test]
fn a_dictionary_at_its_largest_agrees_with_a_model() {
    let mut refused = 0;
    for seed in 0..30 {
        let mut rng = rng(seed);
        let config = Config::new().with_batch_size([16, 64, 100][rng.random_range(0..3)]);
        let mut pair = Pair::<u32, u32> {
            dictionary: Dictionary::with_config(&small_host(), config).unwrap(),
            model: Default::default(),
        };
        for _ in 0..40 {
            let len = rng.random_range(0..200);
            let operations = random_operations(&mut rng, len, 2500, 0.2);
            let result = pair.dictionary.apply(&batch(&operations));
            if is_too_large(&result) {
                refused += 1;
            } else {
                result.unwrap();
                pair.tell_model(&operations);
            }
        }
        pair.dictionary.verify().unwrap();
        let intervals: Vec<(u32, u32)> =
            (0..20).map(|i| (spread(i), u32::MAX / 8 * (i as u32 % 8))).collect();
        pair.check_intervals(&intervals, &format!("seed {seed}"));
        assert_eq!(pair.dictionary.len().unwrap(), pair.model.len() as u64, "seed {seed}");
    }
    assert!(refused > 30, "{refused} batches were refused");
}
