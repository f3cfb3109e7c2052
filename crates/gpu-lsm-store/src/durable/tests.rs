//! A durable dictionary between a failure and its next call.

use crate::{Error, Options, Store};
use gpu_lsm::Device;

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
