//! The rules of `gpu-lsm`'s contract that also hold for the paper's structures. Tests have the same names as there; if
//! only a weaker rule holds, the name says which.

use crate::on_every_backend;
use crate::support::{Dictionary, EDGES, Pair, answers_of, entries_of, host, random_operations, rng, spread};
use gpu_lsm_baselines::{Baselines, CuckooHash, Error, LARGEST_KEY, PaperLsm, SortedArray};
use gpu_lsm_primitives::{Error as BackendError, Meter, host::Host};

/// Instantiates each test for every dictionary on every backend.
macro_rules! of_every_dictionary {
    ($($test:ident),+ $(,)?) => {
        mod papers_lsm {
            $(pub(super) fn $test<B: super::Baselines>(backend: &B) {
                super::$test::<B, super::PaperLsm<B>>(backend);
            })+
            crate::on_every_backend!($($test),+);
        }
        mod sorted_array {
            $(pub(super) fn $test<B: super::Baselines>(backend: &B) {
                super::$test::<B, super::SortedArray<B>>(backend);
            })+
            crate::on_every_backend!($($test),+);
        }
    };
}

of_every_dictionary!(
    rule_2_a_later_batch_wins,
    rule_3_of_several_inserts_of_a_key_the_last_wins,
    rule_4_deletes_come_after_inserts,
    rule_5_every_key_of_31_bits_and_every_value_can_be_stored,
    rule_6_queries_see_exactly_the_batches_applied_before,
    rule_7_lookup_returns_the_value_or_nothing,
    rule_8_the_same_calls_give_the_same_bytes_as_on_the_host,
    only_calls_that_say_so_wait_and_none_uploads,
);

on_every_backend!(
    rule_1_an_update_is_one_batch_of_at_most_the_batch_size,
    rule_1_an_update_of_the_sorted_array_is_one_batch_of_any_size,
    rule_7_lookup_in_the_hash_table_returns_the_value_or_nothing,
    rule_9_a_callers_mistake_is_a_typed_error_and_changes_nothing,
);

fn rule_1_an_update_is_one_batch_of_at_most_the_batch_size<B: Baselines>(backend: &B) {
    let mut pair = Pair::<B, PaperLsm<B>>::new(backend, 33, 15);
    for (step, len) in [0, 1, 2, 15, 16, 17, 31, 32, 33, 5, 0, 33, 1].into_iter().enumerate() {
        let batches = pair.dictionary.batches();
        pair.update(&random_operations(&mut rng(step as u64), len, 300, 0.3));
        assert_eq!(pair.dictionary.batches(), batches + u32::from(len > 0), "a short batch is filled up");
        pair.check_all(&format!("after a batch of {len}"));
    }
}

fn rule_1_an_update_of_the_sorted_array_is_one_batch_of_any_size<B: Baselines>(backend: &B) {
    let mut pair = Pair::<B, SortedArray<B>>::new(backend, usize::MAX, 0);
    for (step, len) in [0, 1, 2, 15, 33, 100, 1000, 5, 0, 70_000, 1].into_iter().enumerate() {
        pair.update(&random_operations(&mut rng(step as u64), len, 3000, 0.3));
        pair.check_all(&format!("after a batch of {len}"));
    }
}

fn rule_2_a_later_batch_wins<B: Baselines, D: Dictionary<B>>(backend: &B) {
    let mut pair = Pair::<B, D>::new(backend, 2, 127);
    for round in 0..20 {
        pair.insert(&EDGES, &[round; 6]);
        pair.check_all(&format!("round {round}"));
        if round % 3 == 0 {
            pair.delete(&EDGES[1..3]);
            pair.check_all(&format!("round {round}, deleted"));
        }
    }
}

fn rule_3_of_several_inserts_of_a_key_the_last_wins<B: Baselines, D: Dictionary<B>>(backend: &B) {
    let mut pair = Pair::<B, D>::new(backend, 10_000, 15);
    for key in EDGES {
        pair.insert(&[key, key], &[1, 2]);
        pair.check(&EDGES, "insert after insert");
    }
    // Far more equal keys than fit a tile: the last of 10,000 wins.
    let values: Vec<u32> = (0..10_000).collect();
    pair.insert(&[7; 10_000], &values);
    assert_eq!(pair.model[&7], 9999);
    pair.check_all("10,000 inserts of a key");
}

fn rule_4_deletes_come_after_inserts<B: Baselines, D: Dictionary<B>>(backend: &B) {
    let mut pair = Pair::<B, D>::new(backend, 12, 15);
    let inserts = |keys: &[u32]| keys.iter().map(|&key| (key, Some(1))).collect::<Vec<_>>();
    let deletes = |keys: &[u32]| keys.iter().map(|&key| (key, None)).collect::<Vec<_>>();
    pair.update(&[inserts(&EDGES), deletes(&EDGES[..3])].concat());
    assert!(pair.model.keys().eq(&EDGES[3..]), "a key in both is deleted");
    pair.check_all("a key in both");
    pair.update(&[deletes(&EDGES[3..]), inserts(&EDGES)].concat());
    assert!(pair.model.keys().eq(&EDGES[..3]), "wherever in the batch the delete stands");
    pair.check_all("deletes before inserts");
    pair.update(&deletes(&EDGES));
    assert!(pair.model.is_empty());
    pair.check_all("nothing is left");
}

fn rule_5_every_key_of_31_bits_and_every_value_can_be_stored<B: Baselines, D: Dictionary<B>>(backend: &B) {
    for value in [0, 1, u32::MAX] {
        let mut pair = Pair::<B, D>::new(backend, 4, 15);
        for key in EDGES {
            pair.insert(&[key], &[value]);
            pair.check_all("inserting edges");
        }
        for key in EDGES.into_iter().step_by(2).chain(EDGES.into_iter().skip(1).step_by(2)) {
            pair.delete(&[key]);
            pair.check_all("deleting edges");
        }
        pair.dictionary.cleanup().unwrap();
        pair.check_all("nothing");
    }
}

fn rule_6_queries_see_exactly_the_batches_applied_before<B: Baselines, D: Dictionary<B>>(backend: &B) {
    let mut pair = Pair::<B, D>::new(backend, 300, 15);
    let keys: Vec<u32> = (0..5000).map(spread).chain(EDGES).collect();
    for step in 0..12u64 {
        pair.check(&keys, &format!("before batch {step}"));
        for len in [0, 1, 4095, 4096, 4097] {
            pair.check(&keys[..len], &format!("{len} queries"));
        }
        pair.update(&random_operations(&mut rng(step), 300, 5000, 0.3));
        pair.check(&keys, &format!("after batch {step}"));
    }
    let many: Vec<u32> = keys.iter().cycle().take(300_000).copied().collect();
    pair.check(&many, "more queries than entries");
}

fn rule_7_lookup_returns_the_value_or_nothing<B: Baselines, D: Dictionary<B>>(backend: &B) {
    let mut pair = Pair::<B, D>::new(backend, 2, 15);
    pair.check_all("an empty dictionary");
    pair.check(&[], "no queries");
    pair.insert(&EDGES, &[0, 1, 2, 3, 4, 5]);
    pair.check(&EDGES, "zero is a value");
    pair.check(&[2, 3, LARGEST_KEY / 2 - 1, LARGEST_KEY - 2], "keys that never were there");
    pair.check(&[LARGEST_KEY + 1, (1 << 31) + 1, u32::MAX], "keys outside the domain");
    pair.delete(&[0, LARGEST_KEY]);
    pair.check(&EDGES, "deleted keys");
}

fn rule_7_lookup_in_the_hash_table_returns_the_value_or_nothing<B: Baselines>(backend: &B) {
    let upload = |elements: &[u32]| backend.upload(elements).unwrap();
    let table = CuckooHash::build(backend, &upload(&EDGES), &upload(&[0, 1, 2, 3, 4, 5])).unwrap();
    let lookup = |queries: &[u32]| answers_of(backend, &table.lookup(&upload(queries)).unwrap());
    assert_eq!(lookup(&EDGES), (0..6).map(Some).collect::<Vec<_>>(), "zero is a value");
    assert_eq!(lookup(&[2, LARGEST_KEY - 2, LARGEST_KEY + 1, u32::MAX]), [None; 4]);
    assert!(lookup(&[]).is_empty());
}

fn rule_8_the_same_calls_give_the_same_bytes_as_on_the_host<B: Baselines, D: OnHost<B>>(backend: &B) {
    let mut here = Pair::<B, D>::new(backend, 256, 63);
    let mut there = Pair::<Host, D::Twin>::new(&host(), 256, 63);
    let queries: Vec<u32> = (0..6000).map(spread).chain(EDGES).collect();
    let upper: Vec<u32> = queries.iter().map(|lower| lower.saturating_add(100)).collect();
    for round in 0..25u64 {
        let operations = random_operations(&mut rng(round), 10 * round as usize, 5000, 0.35);
        here.update(&operations);
        there.update(&operations);
        let ours = here.dictionary.lookup(&here.upload(&queries)).unwrap();
        let theirs = there.dictionary.lookup(&there.upload(&queries)).unwrap();
        assert!(answers_of(backend, &ours) == answers_of(&host(), &theirs), "lookups of round {round}");
        let ours = here.dictionary.range(&here.upload(&queries), &here.upload(&upper)).unwrap();
        let theirs = there.dictionary.range(&there.upload(&queries), &there.upload(&upper)).unwrap();
        assert!(entries_of(backend, &ours) == entries_of(&host(), &theirs), "ranges of round {round}");
        if round % 8 == 7 {
            here.dictionary.cleanup().unwrap();
            there.dictionary.cleanup().unwrap();
        }
    }
}

fn only_calls_that_say_so_wait_and_none_uploads<B: Baselines, D: Dictionary<B>>(backend: &B) {
    let mut pair = Pair::<B, D>::new(backend, 1000, 15);
    let numbers: Vec<u32> = (0..1000).map(spread).collect();
    let (keys, marks) = (pair.upload(&numbers), backend.marks(500, 1000).unwrap());
    let traffic = || backend.meter().traffic();
    let before = traffic();
    for _ in 0..3 {
        pair.dictionary.insert(&keys, &keys).unwrap();
        pair.dictionary.update(&keys, &keys, &marks).unwrap();
        pair.dictionary.delete(&keys).unwrap();
        pair.dictionary.lookup(&keys).unwrap();
    }
    assert_eq!(traffic().waits, before.waits, "updates and lookups do not wait");
    pair.dictionary.count(&keys, &keys).unwrap();
    pair.dictionary.range(&keys, &keys).unwrap();
    assert!(traffic().waits <= before.waits + 2, "count and range wait once each");
    pair.dictionary.cleanup().unwrap();
    assert!(traffic().waits <= before.waits + 3, "a cleanup waits once");
    assert_eq!(traffic().uploaded, before.uploaded);
}

/// The same dictionary on the host.
trait OnHost<B: Baselines>: Dictionary<B> {
    type Twin: Dictionary<Host>;
}
impl<B: Baselines> OnHost<B> for PaperLsm<B> {
    type Twin = PaperLsm<Host>;
}
impl<B: Baselines> OnHost<B> for SortedArray<B> {
    type Twin = SortedArray<Host>;
}

fn rule_9_a_callers_mistake_is_a_typed_error_and_changes_nothing<B: Baselines>(backend: &B) {
    let mut pair = Pair::<B, PaperLsm<B>>::new(backend, 40, 3);
    let many: Vec<u32> = (0..50).collect();
    let (many, few) = (pair.upload(&many), pair.upload(&[1, 2]));
    pair.insert(&EDGES, &[9; 6]);
    let lsm = &mut pair.dictionary;
    let unequal = Error::UnequalColumns { first: 50, second: 2 };
    assert_eq!(lsm.insert(&many, &few).unwrap_err(), unequal);
    assert_eq!(lsm.count(&many, &few).err().unwrap(), unequal);
    assert_eq!(lsm.range(&many, &few).err().unwrap(), unequal);
    let long = Error::LongBatch { keys: 50, batch_size: 40 };
    assert_eq!(lsm.insert(&many, &many).unwrap_err(), long);
    assert_eq!(lsm.delete(&many).unwrap_err(), long);
    let no_marks = backend.upload(&[]).unwrap();
    assert_eq!(lsm.update(&few, &few, &no_marks).unwrap_err(), Error::FewMarks { words: 0, keys: 2 });
    pair.check_all("after mistakes");
    pair.insert(&[1], &[1]);
    pair.insert(&[1], &[2]);
    let full = pair.dictionary.insert(&few, &few).unwrap_err();
    assert_eq!(full, Error::Full { batches: 4, room: 3 });
    pair.check_all("full");
    pair.dictionary.cleanup().unwrap();
    pair.insert(&[1, 2], &[1, 2]);
    pair.check_all("and takes the next batch after a cleanup");
    assert_eq!(PaperLsm::new(backend, 0, 3).err().unwrap(), Error::ZeroBatchSize);
    let built = PaperLsm::build(backend, 10, 3, &many, &many).err().unwrap();
    assert_eq!(built, Error::Full { batches: 5, room: 3 });
}

#[test]
fn rule_9_no_room_is_a_typed_error() {
    let host = Host::new(Meter::new(Some(1000)));
    let error = PaperLsm::new(&host, 100, 3).err().unwrap();
    assert!(matches!(error, Error::Backend(BackendError::OverBudget { budget: 1000, .. })), "{error}");
}
