//! Chains: results that a query leaves on the device have their exact length, so a further call can take them as they
//! are.

use crate::on_every_device;
use gpu_lsm::{Config, Device, DeviceRanges, Dictionary};
use std::ops::Range;

macro_rules! chains {
    ($($test:ident),+ $(,)?) => {
        mod short {
            super::on_every_device!($($test),+);
            $(fn $test(device: &gpu_lsm::Device) { super::$test(device, &super::SHORT); })+
        }
        mod long {
            super::on_every_device!($($test),+);
            $(fn $test(device: &gpu_lsm::Device) { super::$test(device, &super::LONG); })+
        }
    };
}
chains!(
    a_range_has_the_length_of_what_it_found,
    a_range_that_is_deleted_takes_nothing_else_away,
    a_range_that_is_inserted_elsewhere_brings_nothing_else,
    a_range_that_is_looked_up_is_found_whole,
    the_keys_of_a_range_are_bounds_of_counts,
    a_range_of_nothing_changes_nothing,
    first_pages_that_are_deleted_take_nothing_else_away,
    next_pages_that_are_deleted_take_nothing_else_away,
    successors_are_lower_bounds_of_ranges,
);

/// A dictionary of keys from zero on. A later batch overwrote some of them.
struct Case {
    keys: u32,
    batch_size: usize,
    overwritten: Range<u32>,
}

const SHORT: Case = Case { keys: 20_000, batch_size: 1 << 10, overwritten: 5000..6000 };
const LONG: Case =
    Case { keys: 200_000, batch_size: Config::DEFAULT_BATCH_SIZE, overwritten: 50_000..60_000 };

impl Case {
    /// Two runs: every key with itself as its value, and the overwritten keys with a value larger by one.
    fn filled(&self, device: &Device) -> Dictionary<u32, u32> {
        let keys: Vec<u32> = (0..self.keys).collect();
        let config = Config::new().with_batch_size(self.batch_size);
        let mut dictionary = Dictionary::build(device, config, &keys, &keys).unwrap();
        let again: Vec<u32> = self.overwritten.clone().collect();
        dictionary.insert(&again, &self.values()).unwrap();
        assert_eq!(dictionary.statistics().levels.len(), 2, "what is overwritten is in two runs");
        dictionary
    }

    fn first(&self) -> u32 {
        self.overwritten.start
    }

    fn last(&self) -> u32 {
        self.overwritten.end - 1
    }

    fn found(&self) -> usize {
        self.overwritten.len()
    }

    /// The values of the overwritten keys.
    fn values(&self) -> Vec<u32> {
        self.overwritten.clone().map(|key| key + 1).collect()
    }
}

/// The range of the overwritten keys, in one query and in ten.
fn for_every_range(
    device: &Device,
    case: &Case,
    check: impl Fn(&mut Dictionary<u32, u32>, &DeviceRanges<u32, u32>),
) {
    for parts in [1, 10] {
        let mut dictionary = case.filled(device);
        let step = case.found() as u32 / parts;
        let lower: Vec<u32> = (0..parts).map(|part| case.first() + part * step).collect();
        let upper: Vec<u32> = lower.iter().map(|first| first + step - 1).collect();
        let found = dictionary.on_device().range(&lower, &upper).unwrap();
        check(&mut dictionary, &found);
        dictionary.verify().unwrap();
    }
}

fn a_range_has_the_length_of_what_it_found(device: &Device, case: &Case) {
    for_every_range(device, case, |_, found| {
        assert_eq!((found.keys.len(), found.values.len()), (case.found(), case.found()));
        assert!(found.keys.read().unwrap().into_iter().eq(case.overwritten.clone()));
        assert_eq!(found.values.read().unwrap(), case.values());
    });
}

fn a_range_that_is_deleted_takes_nothing_else_away(device: &Device, case: &Case) {
    for_every_range(device, case, |dictionary, found| {
        dictionary.delete(&found.keys).unwrap();
        let left: Vec<u32> = (0..case.keys).filter(|key| !case.overwritten.contains(key)).collect();
        assert_eq!(dictionary.len().unwrap(), left.len() as u64);
        assert!(dictionary.range(&[0], &[u32::MAX]).unwrap().keys() == left, "the keys that are left");
    });
}

fn a_range_that_is_inserted_elsewhere_brings_nothing_else(device: &Device, case: &Case) {
    for_every_range(device, case, |_, found| {
        let mut other = Dictionary::<u32, u32>::new(device).unwrap();
        other.insert(&found.keys, &found.values).unwrap();
        assert_eq!(other.len().unwrap(), case.found() as u64);
        let all = other.range(&[0], &[u32::MAX]).unwrap();
        assert!(all.keys().iter().copied().eq(case.overwritten.clone()));
        assert!(all.values() == case.values());
    });
}

fn a_range_that_is_looked_up_is_found_whole(device: &Device, case: &Case) {
    for_every_range(device, case, |dictionary, found| {
        let answers = dictionary.on_device().lookup(&found.keys).unwrap();
        assert_eq!((answers.found.len(), answers.values.len()), (case.found(), case.found()));
        assert!(answers.found.read().unwrap().iter().all(|&found| found == 1));
        assert!(answers.values.read().unwrap() == case.values());
    });
}

fn the_keys_of_a_range_are_bounds_of_counts(device: &Device, case: &Case) {
    for_every_range(device, case, |dictionary, found| {
        let counts = dictionary.on_device().count(&found.keys, &found.keys).unwrap();
        assert_eq!(counts.len(), case.found());
        assert!(counts.read().unwrap().iter().all(|&count| count == 1));
        dictionary.delete_range(&found.keys, &found.keys).unwrap();
        assert_eq!(dictionary.len().unwrap(), u64::from(case.keys) - case.found() as u64);
    });
}

fn a_range_of_nothing_changes_nothing(device: &Device, case: &Case) {
    let mut dictionary = case.filled(device);
    dictionary.delete_range(&[case.first()], &[case.last()]).unwrap();
    let found = dictionary.on_device().range(&[case.first(), 9], &[case.last(), 3]).unwrap();
    assert_eq!((found.keys.len(), found.values.len()), (0, 0));
    let before = dictionary.len().unwrap();
    dictionary.delete(&found.keys).unwrap();
    dictionary.insert(&found.keys, &found.values).unwrap();
    assert_eq!(dictionary.len().unwrap(), before);
}

fn first_pages_that_are_deleted_take_nothing_else_away(device: &Device, case: &Case) {
    let mut dictionary = case.filled(device);
    let (first, last) = (case.first(), case.last());
    let page = dictionary.on_device().range_first(&[first, first + 500], &[last, last], 10).unwrap();
    assert_eq!((page.keys.len(), page.values.len()), (20, 20));
    dictionary.delete(&page.keys).unwrap();
    assert_eq!(dictionary.len().unwrap(), u64::from(case.keys) - 20);
    let counts = dictionary.count(&[first, first + 500], &[first + 9, first + 509]).unwrap();
    assert_eq!(counts, [0, 0]);
}

fn next_pages_that_are_deleted_take_nothing_else_away(device: &Device, case: &Case) {
    let mut dictionary = case.filled(device);
    let page = dictionary.on_device().range_after(&[case.first()], &[case.last()], 10).unwrap();
    assert_eq!((page.keys.len(), page.values.len()), (10, 10));
    dictionary.delete(&page.keys).unwrap();
    assert_eq!(dictionary.len().unwrap(), u64::from(case.keys) - 10);
    let left = dictionary.range(&[case.first()], &[case.first() + 11]).unwrap();
    assert_eq!(left.keys(), [case.first(), case.first() + 11]);
}

/// Every second key is deleted, so the successor of a deleted key is the next key.
fn successors_are_lower_bounds_of_ranges(device: &Device, case: &Case) {
    let mut dictionary = case.filled(device);
    let gone: Vec<u32> = case.overwritten.clone().step_by(2).collect();
    dictionary.delete(&gone).unwrap();
    let near = dictionary.on_device().successor(&gone).unwrap();
    assert_eq!((near.found.len(), near.keys.len(), near.values.len()), (gone.len(), gone.len(), gone.len()));
    let upper: Vec<u32> = gone.iter().map(|key| key + 3).collect();
    let found = dictionary.on_device().range(&near.keys, &upper).unwrap();
    let is_live = |key: &u32| !case.overwritten.contains(key) || (key - case.first()) % 2 == 1;
    let expected: Vec<u32> = gone.iter().flat_map(|&key| (key..=key + 3).filter(is_live)).collect();
    assert_eq!((found.keys.len(), found.values.len()), (expected.len(), expected.len()));
    assert!(found.keys.read().unwrap() == expected);
}
