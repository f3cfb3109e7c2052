//! A small store with every byte changed, every object cut at every length, and every object missing: a typed error or right
//! answers, never a panic, never a wrong answer.

use crate::memory::Memory;
use crate::save::assert_same;
use bytes::Bytes;
use gpu_lsm::{Config, Device, Dictionary};
use gpu_lsm_store::{Error, Options, Store};
use std::sync::Arc;

/// A store with two versions, a log of several records with parts, and its newest state.
fn small() -> (Arc<Memory>, Dictionary<u32, u32>) {
    let memory = Memory::new();
    let store = Store::over(Arc::clone(&memory) as _);
    let options =
        Options::new().with_config(Config::new().with_batch_size(4)).with_part_bytes(80).with_versions(2);
    let mut durable = store.write::<u32, u32>(&Device::host(), options).unwrap();
    durable.insert(&[1, 2, 3, 4, 5], &[10, 20, 30, 40, 50]).unwrap();
    durable.checkpoint().unwrap();
    durable.update(&[6], &[60], &[2]).unwrap();
    durable.checkpoint().unwrap();
    durable.insert(&[7], &[70]).unwrap();
    durable.delete(&[1, 3]).unwrap();
    durable.insert(&[8, 9, 10, 11, 12, 13, 14, 15], &[1; 8]).unwrap();
    durable.flush().unwrap();
    durable.collect().unwrap();
    drop(durable);
    (Arc::clone(&memory), store.load(&Device::host()).unwrap())
}

/// Loads a damaged store. Returns whether the damage was noticed.
fn is_noticed(memory: &Arc<Memory>, right: &Dictionary<u32, u32>, what: &str) -> bool {
    let store = Store::over(Arc::clone(memory) as _);
    match store.load::<u32, u32>(&Device::host()) {
        Ok(loaded) => {
            assert_same(&loaded, right);
            false
        }
        Err(Error::Corrupt { .. } | Error::Missing { .. }) => true,
        Err(error) => panic!("{what}: {error}"),
    }
}

/// Whether the newest state is made of an object.
fn is_needed(memory: &Memory, name: &str) -> bool {
    let newest = memory.names("manifest").pop().unwrap();
    let text = String::from_utf8(memory.get(&newest).unwrap().to_vec()).unwrap();
    let stem = name.rsplit_once('/').unwrap().1.split_once('.').unwrap().0;
    name == newest || name.starts_with("parts") || text.contains(stem) || is_after_position(&text, name)
}

fn is_after_position(manifest: &str, name: &str) -> bool {
    let position = manifest.split_once("\"position\":").unwrap().1;
    let position: String = position.chars().take_while(char::is_ascii_digit).collect();
    name > format!("log/{:020}", position.parse::<u64>().unwrap()).as_str() && name.starts_with("log")
}

#[test]
fn every_changed_byte_and_every_cut_is_noticed() {
    let (memory, right) = small();
    assert_eq!(right.len().unwrap(), 12);
    let mut needed = 0;
    for name in memory.names("") {
        let whole = memory.get(&name).unwrap();
        let must_notice = is_needed(&memory, &name);
        needed += u32::from(must_notice);
        for at in 0..whole.len() {
            let mut changed = whole.to_vec();
            changed[at] ^= 1 << (at % 8);
            memory.set(&name, Some(changed.into()));
            assert_eq!(is_noticed(&memory, &right, &name), must_notice, "{name}: byte {at}");
            memory.set(&name, Some(whole.slice(..at)));
            assert_eq!(is_noticed(&memory, &right, &name), must_notice, "{name}: cut at {at}");
        }
        memory.set(&name, Some(Bytes::from([&whole[..], b"x"].concat())));
        assert_eq!(is_noticed(&memory, &right, &name), must_notice, "{name}: longer");
        memory.set(&name, Some(whole));
    }
    assert!(needed >= 6, "{needed}");
}

/// A missing record can't be told from the end of the log, and a missing manifest not from an earlier time.
#[test]
fn missing_runs_and_parts_are_noticed() {
    let (memory, right) = small();
    for name in memory.names("runs").into_iter().chain(memory.names("parts")) {
        let whole = memory.get(&name).unwrap();
        memory.set(&name, None);
        assert_eq!(is_noticed(&memory, &right, &name), is_needed(&memory, &name), "{name}");
        memory.set(&name, Some(whole));
    }
}

/// A fuzzer found that a batch was acknowledged because a record with its number and epoch existed, which was another writer's: the
/// manifest that took the epoch was lost, and the log had a gap before it.
#[test]
fn a_record_of_another_writer_of_the_same_epoch_is_no_success() {
    let memory = Memory::new();
    let store = Store::over(Arc::clone(&memory) as _);
    let open = || store.write::<u32, u32>(&Device::host(), Options::new()).unwrap();
    open().insert(&[1], &[1]).unwrap();
    open().insert(&[2], &[2]).unwrap();
    let [_, second] = &memory.names("manifest")[..] else { panic!("two epochs") };
    let [_, gone, ..] = &memory.names("log")[..] else { panic!("two fences and two records") };
    memory.set(second, None);
    memory.set(gone, None);
    let mut durable = open();
    assert!(durable.is_empty().unwrap(), "the log ends at the gap");
    for _ in 0..2 {
        let error = durable.insert(&[3], &[3]).unwrap_err();
        assert!(error.to_string().contains("two writers have the same epoch"), "{error}");
        assert!(durable.is_empty().unwrap());
    }
}
