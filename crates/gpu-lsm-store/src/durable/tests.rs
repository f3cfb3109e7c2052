//! A durable dictionary between a failure and its next call.

use crate::operation::Operation;
use crate::record::Origin;
use crate::{Error, Options, Store};
use gpu_lsm::{Batch, Device};

/// The failure comes after `settle` has seen that all is well.
#[test]
fn a_failure_between_two_looks_refuses_the_next_batch() {
    let store = Store::at("memory:///between_two_looks").unwrap();
    let mut written = store.write::<u32, u32>(&Device::host(), Options::new()).unwrap();
    written.insert(&[1], &[10]).unwrap();
    let reason = Error::NoStore { url: "somewhere".into() };
    let broken_generation = written.progress.change(|state| {
        state.generation += 1;
        state.broken = Some(reason.clone());
        state.generation
    });
    assert_eq!(written.catch_up(), Err(reason));
    assert_eq!(written.generation, broken_generation);
    assert_eq!(written.lookup(&[1]).unwrap().to_vec(), [Some(10)], "what is durable is there");
}

/// Batch 1 fails after `submit_once` has seen that 2 is next. If 2 were written, 1 could never be.
#[test]
fn a_failure_after_a_number_was_checked_leaves_no_gap() {
    let store = Store::at("memory:///no_gap").unwrap();
    let mut written = store.write::<u32, u32>(&Device::host(), Options::new()).unwrap();
    let batch = |key: u32| [(key, Some(key))].into_iter().collect::<Batch<u32, u32>>();
    let second = Origin { caller: "a".into(), number: 2 };
    written.progress.change(|state| state.generation += 1);
    let receipt = written.send_settled(&Operation::Apply(batch(2)), Some(second)).unwrap();
    assert!(matches!(receipt.wait(), Err(Error::NotWritten { .. })));
    written.submit_once("a", 1, batch(1)).unwrap().wait().unwrap();
    written.submit_once("a", 2, batch(2)).unwrap().wait().unwrap();
    assert_eq!(written.lookup(&[1, 2]).unwrap().to_vec(), [Some(1), Some(2)]);
}
