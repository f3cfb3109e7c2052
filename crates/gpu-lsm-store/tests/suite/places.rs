//! The same tests on local files and on real servers.

use crate::save::assert_same;
use crate::site::Site;
use gpu_lsm::{Config, Device, Dictionary};
use gpu_lsm_store::{Error, Options, Result};
use std::sync::Barrier;

/// Tests for each place, in a module of its name.
macro_rules! everywhere {
    ($($place:ident $(($feature:literal))?: $site:expr;)+) => { $(
        $(#[cfg(feature = $feature)])?
        mod $place {
            use super::*;

            #[test]
            fn stores_are_saved_loaded_and_written() {
                super::live(&$site("basics"));
            }

            #[test]
            fn killed_writers_lose_nothing() {
                crate::crash::kill_at_random(&$site("killed"));
            }

            #[test]
            fn each_race_has_one_winner() {
                super::race(&$site("races"));
            }
        }
    )+ };
}

everywhere! {
    local: Site::local;
    seaweedfs("aws"): |_| Site::server("seaweedfs");
    azurite("azure"): |_| Site::server("azurite");
}

fn options() -> Options {
    Options::new().with_config(Config::new().with_batch_size(16)).with_versions(2).with_part_bytes(4000)
}

/// Everything that a store does, once.
fn live(site: &Site) {
    let store = site.store("life");
    assert!(matches!(store.load::<u32, u32>(&Device::host()), Err(Error::NoStore { .. })));
    let keys: Vec<u32> = (0..2000).map(|i| i * 3).collect();
    let mut twin =
        Dictionary::build(&Device::host(), Config::new().with_batch_size(16), &keys, &keys).unwrap();
    store.save(&twin).unwrap();
    assert_same(&twin, &site.store("life").load(&Device::host()).unwrap());

    let mut durable = store.write::<u32, u32>(&Device::host(), options()).unwrap();
    let mut versions = Vec::new();
    for i in 0..6 {
        let new: Vec<u32> = (i * 1000..i * 1000 + 700).collect();
        durable.update(&new, &new, &keys[i as usize * 10..][..10]).unwrap();
        twin.update(&new, &new, &keys[i as usize * 10..][..10]).unwrap();
        if i % 2 == 1 {
            versions.push((durable.checkpoint().unwrap(), durable.durable()));
        }
    }
    durable.insert(&[1], &[1]).unwrap();
    twin.insert(&[1], &[1]).unwrap();
    durable.collect().unwrap();
    assert_same(&twin, &durable);

    let other = site.store("life");
    assert_same(&twin, &other.load::<u32, u32>(&Device::host()).unwrap());
    let listed: Vec<_> = other.versions().unwrap().iter().map(|info| info.version).collect();
    assert_eq!(listed, versions[1..].iter().map(|(version, _)| *version).collect::<Vec<_>>());
    for (version, state) in &versions[1..] {
        assert_same(state, &other.load_version::<u32, u32>(&Device::host(), *version).unwrap());
    }
    let again = other.write::<u32, u32>(&Device::host(), options()).unwrap();
    assert_same(&twin, &again);
    assert!(matches!(durable.insert(&[2], &[2]), Err(Error::Fenced { .. })));
}

fn races() -> u64 {
    std::env::var("GPU_LSM_RACES").map_or(20, |races| races.parse().unwrap())
}

/// Two writers open a store at the same time, and both write. One of them can, and the other is told at its next call.
fn race(site: &Site) {
    let mut written = Vec::new();
    for round in 0..races() {
        let (opened, stores) = (Barrier::new(2), [0, 1].map(|_| site.store("race")));
        let write = |writer: u64| -> Result<u64> {
            let key = 2 * round + writer;
            let durable = stores[writer as usize].write::<u64, u64>(&Device::host(), options());
            opened.wait();
            durable?.insert(&[key], &[round])?;
            Ok(key)
        };
        let results = std::thread::scope(|scope| {
            [0, 1].map(|writer| scope.spawn(move || write(writer))).map(|thread| thread.join().unwrap())
        });
        let [winner, loser] = if results[0].is_ok() { [0, 1] } else { [1, 0] }.map(|i| results[i].clone());
        written.push(winner.unwrap());
        let fenced = loser.expect_err("one of two writers loses");
        assert!(matches!(fenced, Error::Fenced { .. }), "{fenced}");
    }
    let state = site.store("race").load::<u64, u64>(&Device::host()).unwrap();
    assert_eq!(state.range(&[0], &[u64::MAX]).unwrap().keys(), written);
}
