//! Runs that leave a dictionary, and dictionaries made of runs.

use crate::on_every_device;
use crate::support::{Pair, random_operations, rng};
use gpu_lsm::{BackendError, Columns, Config, Device, Dictionary, Error};

on_every_device!(
    a_dictionary_of_anothers_runs_goes_on_as_that_one,
    runs_keep_their_identity_for_life,
    a_run_that_cannot_be_read_is_an_error_and_changes_nothing,
    lists_that_break_a_rule_are_refused,
    runs_that_cannot_be_read_make_no_dictionary,
);

const B: usize = 64;

fn config() -> Config {
    Config::new().with_batch_size(B)
}

type Parts = Vec<(usize, Columns<u32, u32>)>;

/// All runs of a dictionary with their levels.
fn parts(dictionary: &Dictionary<u32, u32>) -> Parts {
    let runs = dictionary.runs().unwrap();
    runs.iter().map(|run| (run.level, dictionary.run_columns(run.id).unwrap().unwrap())).collect()
}

fn from_parts(device: &Device, parts: Parts) -> Result<Dictionary<u32, u32>, Error> {
    Dictionary::from_runs(device, config(), parts.into_iter().map(Ok))
}

/// From this device to the host and back, at every step of a life.
fn a_dictionary_of_anothers_runs_goes_on_as_that_one(device: &Device) {
    let mut pair = Pair::<u32, u32>::new(device, B);
    for step in 0..20 {
        pair.apply(&random_operations(&mut rng(step), 150, 2000, 0.4));
        let dictionary = &pair.dictionary;
        let before = parts(dictionary);
        for run in dictionary.runs().unwrap() {
            let columns = dictionary.run_columns(run.id).unwrap().unwrap();
            assert_eq!((run.first, run.last), (columns.keys[0], columns.keys[columns.keys.len() - 1]));
            assert_eq!(run.entries, columns.keys.len() as u64);
            let set: u32 = columns.marks.iter().map(|word| word.count_ones()).sum();
            assert_eq!(run.tombstones, u64::from(set));
        }
        let on_host = from_parts(&Device::host(), before.clone()).unwrap();
        assert_eq!(parts(&on_host), before, "the same layout on every device");
        let again = from_parts(device, parts(&on_host)).unwrap();
        assert_eq!(parts(&again), before);
        again.verify().unwrap();
        // The new runs must not inherit what was known about the old ones.
        assert_eq!(again.len().unwrap(), pair.model.len() as u64);
        pair.dictionary = again;
        pair.check_all(&format!("step {step}"));
    }
}

fn runs_keep_their_identity_for_life(device: &Device) {
    let mut dictionary = Dictionary::<u32, u32>::with_config(device, config()).unwrap();
    let keys: Vec<u32> = (0..4 * B as u32).collect();
    dictionary.insert(&keys, &keys).unwrap();
    let old = dictionary.runs().unwrap()[0];
    let snapshot = dictionary.snapshot();
    dictionary.insert(&[1_000_000, 2_000_000], &[1, 2]).unwrap();
    let runs = dictionary.runs().unwrap();
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[1], old, "what was not merged stays");
    assert_ne!(runs[0].id, old.id);
    assert_eq!((runs[0].first, runs[0].last), (1_000_000, 2_000_000));
    dictionary.cleanup().unwrap();
    assert!(dictionary.runs().unwrap().iter().all(|run| run.id != old.id), "a merge makes a new run");
    assert_eq!(snapshot.runs().unwrap(), [old]);
    assert_eq!(dictionary.run_columns(old.id).unwrap(), None);
    assert_eq!(snapshot.run_columns(old.id).unwrap().unwrap().keys, keys);
}

fn a_run_that_cannot_be_read_is_an_error_and_changes_nothing(device: &Device) {
    let mut dictionary = Dictionary::<u32, u32>::with_config(device, config()).unwrap();
    dictionary.insert(&[1, 2, 3], &[10, 20, 30]).unwrap();
    for k in 1.. {
        // A copy of its runs, whose first and last keys are not known yet.
        let copy = from_parts(device, parts(&dictionary)).unwrap();
        let in_use = copy.statistics().bytes_in_use;
        copy.meter().fuse().fail_at(k);
        let result = copy.runs().and_then(|runs| copy.run_columns(runs[0].id));
        if copy.meter().fuse().is_armed() {
            assert_eq!(result.unwrap().unwrap().keys, [1, 2, 3]);
            assert!(k > 3, "the hook was never reached");
            return;
        }
        assert!(result.is_err(), "call {k}");
        assert_eq!(copy.statistics().bytes_in_use, in_use, "call {k} leaks nothing");
        assert_eq!(copy.lookup(&[2]).unwrap().get(0), Some(20));
    }
}

fn lists_that_break_a_rule_are_refused(device: &Device) {
    let run = |first: u32, len: usize, marks: Vec<u32>| Columns {
        keys: (first..first + len as u32).collect(),
        values: vec![0; len],
        marks,
    };
    let cases: [(Parts, &str); 7] = [
        (vec![(0, run(0, B + 1, vec![]))], "level 0: it has 65 entries, more than the level holds"),
        (vec![(1, run(0, 5, vec![])), (1, run(9, 5, vec![]))], "can't be next, on level 1"),
        (vec![(2, run(0, 5, vec![])), (1, run(9, 5, vec![]))], "can't be next, on level 1"),
        (vec![(0, run(0, 0, vec![]))], "a run of 0 entries can't be next, on level 0"),
        (vec![(usize::MAX, run(0, 5, vec![]))], "can't be next, on level"),
        (vec![(0, run(0, 5, vec![1]))], "level 0: the oldest run has 1 tombstones"),
        (
            vec![(4, run(0, 16 * B, vec![])), (5, run(0, 32 * B, vec![])), (6, run(7, 5, vec![]))],
            "level 6: 3077 entries are more than the space rule allows",
        ),
    ];
    for (parts, expected) in cases {
        match from_parts(device, parts) {
            Err(Error::Backend(BackendError::Malformed { what })) => {
                assert!(what.contains(expected), "{what}");
            }
            other => panic!("{expected}: {other:?}"),
        }
    }
    assert!(from_parts(device, vec![]).unwrap().is_empty().unwrap());
}

fn runs_that_cannot_be_read_make_no_dictionary(device: &Device) {
    let columns = Columns { keys: vec![1u32], values: vec![1u32], marks: vec![] };
    let broken = Error::Corrupt { level: 3, what: "a test says so".into() };
    let runs = [Ok((0, columns)), Err(broken.clone())];
    assert_eq!(Dictionary::<u32, u32>::from_runs(device, config(), runs).err(), Some(broken));
}
