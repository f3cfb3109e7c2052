//! A device that the program destroys is really gone; no fuse simulates its loss.

#![cfg(not(feature = "vulkan"))]

use super::Own;
use gpu_lsm::interop::{self, Callbacks};
use gpu_lsm::{BackendError, Dictionary, Error};

/// Checks that a call noticed the loss.
pub(super) fn is_lost(what: &str, result: Result<(), Error>) {
    let error = result.expect_err(what);
    assert!(matches!(error, Error::Backend(BackendError::DeviceLost { .. })), "{what}: {error}");
}

#[test]
fn a_gpu_device_that_the_program_destroys_is_lost_to_its_dictionaries_only() {
    let numbers: Vec<u32> = (0..1000).collect();
    let own = Own::new();
    let shared = own.share().unwrap();
    let mut dictionary = Dictionary::<u32, u32>::new(&shared).unwrap();
    let mut beside = Dictionary::<u32, u32>::new(&shared).unwrap();
    let mut elsewhere = Dictionary::<u32, u32>::new(&crate::support::gpu()).unwrap();
    for dictionary in [&mut dictionary, &mut beside, &mut elsewhere] {
        dictionary.insert(&numbers, &numbers).unwrap();
    }
    let found = dictionary.on_device().lookup(&numbers).unwrap();
    own.device.destroy();
    is_lost("lookup", dictionary.lookup(&[1]).map(drop));
    is_lost("insert", dictionary.insert(&[7], &[8]));
    is_lost("delete", dictionary.delete_range(&[0], &[9]));
    is_lost("cleanup", dictionary.cleanup());
    is_lost("range", dictionary.range(&[0], &[9]).map(drop));
    is_lost("count", dictionary.count(&[0], &[9]).map(drop));
    is_lost("successor", dictionary.successor(&[0]).map(drop));
    is_lost("len", dictionary.len().map(drop));
    is_lost("verify", dictionary.verify());
    is_lost("read", found.values.read().map(drop));
    is_lost("upload", shared.upload(&[1u32]).map(drop));
    is_lost("part", interop::part(&found.values).map(drop));
    is_lost("self-test", shared.self_test(drop));
    is_lost("another dictionary's insert", beside.insert(&[7], &[8]));
    is_lost("a new dictionary", Dictionary::<u32, u32>::new(&shared).map(drop));
    assert_eq!(elsewhere.lookup(&numbers).unwrap().values(), numbers);
    elsewhere.insert(&[7], &[8]).unwrap();
    elsewhere.verify().unwrap();
    assert_eq!(elsewhere.lookup(&[7]).unwrap().values(), [8]);
}

/// Every call notices the loss, if it is the first.
fn every_call_notices(share: impl Fn(&Own) -> gpu_lsm::Result<gpu_lsm::Device>) {
    type Call = fn(&mut Dictionary<u32, u32>) -> Result<(), Error>;
    let calls: [(&str, Call); 7] = [
        ("insert", |dictionary| dictionary.insert(&[7], &[8])),
        ("cleanup", |dictionary| dictionary.delete(&[1]).and_then(|()| dictionary.cleanup())),
        ("lookup", |dictionary| dictionary.lookup(&[1]).map(drop)),
        ("count", |dictionary| dictionary.count(&[0], &[9]).map(drop)),
        ("range", |dictionary| dictionary.range(&[0], &[9]).map(drop)),
        ("successor", |dictionary| dictionary.successor(&[0]).map(drop)),
        ("verify", |dictionary| dictionary.verify()),
    ];
    for (what, call) in calls {
        let own = Own::new();
        let mut dictionary = Dictionary::<u32, u32>::new(&share(&own).unwrap()).unwrap();
        dictionary.insert(&(0..1000).collect::<Vec<_>>(), &vec![5; 1000]).unwrap();
        own.device.destroy();
        is_lost(what, call(&mut dictionary));
    }
}

#[test]
fn every_call_notices_that_a_gpu_device_is_destroyed() {
    every_call_notices(Own::share);
}

/// Then only our callback is told, and the engine is not.
#[test]
fn every_call_notices_that_a_gpu_device_with_callbacks_is_destroyed() {
    every_call_notices(|own| own.share_with(Callbacks::new(|error| panic!("{error}"), |_, _| ())));
}
