//! Openings for writing: one that fails before it took the epoch leaves the writer that runs alone, and what that writes while
//! another opens the store is not lost.

use crate::meddled::{Meddled, Then, nothing};
use crate::memory::Memory;
use crate::replaced::{is_fenced, options, store_of};
use bytes::Bytes;
use gpu_lsm::{Config, Device, Sharding};
use gpu_lsm_store::nonce::Nonces;
use gpu_lsm_store::protocol::Opener;
use gpu_lsm_store::{Durable, Error, Objects, Pending, Result, Store};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const KEYS: u32 = 1000;

fn open(store: &Store) -> Result<Durable<u32, u32>> {
    store.write(&Device::host(), options())
}

/// A store with a version and a log, and the writer that runs, which is at another handle.
fn begin() -> (Arc<Meddled>, Store, Durable<u32, u32>) {
    let place = Meddled::new();
    let mut running = open(&Store::over(Arc::clone(&place.memory) as _)).unwrap();
    let keys: Vec<u32> = (0..KEYS).collect();
    running.insert(&keys, &keys).unwrap();
    running.checkpoint().unwrap();
    running.insert(&[KEYS], &[KEYS]).unwrap();
    let store = store_of(&place);
    (place, store, running)
}

/// The writer goes on as if nothing had happened, and the next opening has everything.
fn check_goes_on(store: &Store, mut running: Durable<u32, u32>, what: &str) {
    let new: Vec<u32> = (KEYS + 1..KEYS + 3).collect();
    running.insert(&new[..1], &new[..1]).unwrap_or_else(|error| panic!("{what}: {error}"));
    running.checkpoint().unwrap_or_else(|error| panic!("{what}: {error}"));
    running.insert(&new[1..], &new[1..]).unwrap_or_else(|error| panic!("{what}: {error}"));
    let opened = open(store).unwrap();
    assert_eq!(opened.len().unwrap(), u64::from(KEYS) + 3, "{what}");
    assert!(is_fenced(&running.insert(&[0], &[0])), "{what}: now it is replaced");
}

/// An opening fails, and leaves the objects of the store as they are.
fn fails(place: &Meddled, opening: impl FnOnce() -> Option<Error>) -> Error {
    let (names, created) = (place.memory.names(""), place.memory.created());
    let error = opening().expect("the opening fails");
    assert_eq!((place.memory.names(""), place.memory.created()), (names, created), "{error}");
    error
}

/// Until the budget is large enough: it is too small for the runs first, and then for the log behind them.
#[test]
fn an_opening_past_the_byte_budget_leaves_the_writer_alone() {
    for budget in (1..).map(|step| step * 1000) {
        let (place, store, running) = begin();
        let config = Config::new().with_batch_size(8).with_byte_budget(budget);
        let (names, created) = (place.memory.names(""), place.memory.created());
        match store.write::<u32, u32>(&Device::host(), options().with_config(config)) {
            Err(Error::Dictionary(_)) => {
                assert_eq!((place.memory.names(""), place.memory.created()), (names, created));
                check_goes_on(&store, running, &format!("{budget} bytes"));
            }
            opened => {
                assert_eq!(opened.unwrap().len().unwrap(), u64::from(KEYS) + 1);
                assert!(budget > 8000, "{budget}");
                return;
            }
        }
    }
}

#[test]
fn an_opening_of_shards_past_the_byte_budget_leaves_the_writer_alone() {
    let (place, store, running) = begin();
    let (devices, sharding) = ([Device::host()], Sharding::new().with_boundaries(&[10]));
    let options = options().with_config(Config::new().with_byte_budget(100));
    let error = fails(&place, || store.write_sharded::<u32, u32>(&devices, &sharding, options).err());
    assert!(matches!(error, Error::Dictionary(_)), "{error}");
    check_goes_on(&store, running, &error.to_string());
}

/// The objects that opening reads, and which are damaged or gone.
#[test]
fn an_opening_of_a_damaged_store_leaves_the_writer_alone() {
    for (folder, damaged) in
        [("runs", Some(Bytes::from("damaged"))), ("runs", None), ("log", Some("x".into()))]
    {
        let (place, store, running) = begin();
        let name = place.memory.names(folder).pop().unwrap();
        let whole = place.memory.get(&name);
        place.memory.set(&name, damaged);
        let error = fails(&place, || open(&store).err());
        assert!(matches!(error, Error::Corrupt { .. } | Error::Missing { .. }), "{error}");
        place.memory.set(&name, whole);
        check_goes_on(&store, running, &error.to_string());
    }
}

#[test]
fn an_opening_that_cannot_reach_the_place_leaves_the_writer_alone() {
    for operation in ["list manifest", "read manifest", "read runs", "read log"] {
        let (place, store, running) = begin();
        place.plan(operation, 0, nothing, Then::Fails);
        let error = fails(&place, || open(&store).err());
        assert!(matches!(error, Error::Unavailable { .. }), "{operation}: {error}");
        assert_eq!(place.plans(), 0);
        check_goes_on(&store, running, operation);
    }
}

/// A version that is published after the state was read, and before the epoch is taken.
#[test]
fn an_epoch_is_taken_only_behind_the_manifest_that_was_read() {
    let (place, _, mut running) = begin();
    let objects: Arc<dyn Objects> = Arc::clone(&place.memory) as _;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut opener = Opener::new(&objects, Nonces::of_writer(7), None);
        let stale = opener.base().await.unwrap();
        assert!(opener.is_newest(&stale).await.unwrap());
        running.checkpoint().unwrap();
        assert!(!opener.is_newest(&stale).await.unwrap());
        assert!(opener.take(stale).await.unwrap().is_none());
        running.insert(&[KEYS + 1], &[0]).unwrap();
        let newest = opener.base().await.unwrap();
        let epoch = newest.epoch;
        let claim = opener.take(newest).await.unwrap().unwrap();
        assert!(claim.manifest().epoch > epoch);
    });
    assert!(is_fenced(&running.checkpoint()));
}

/// The writer that runs in a test where something happens at chosen operations, and the keys of which it was told that they are
/// durable.
type Writer = (Durable<u32, u32>, Vec<u32>);
type Running = Mutex<Option<Writer>>;

static ONCE: Running = Mutex::new(None);
static ALWAYS: Running = Mutex::new(None);

fn lock(running: &Running) -> MutexGuard<'_, Option<Writer>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The writer that runs writes another key, merges everything, makes two versions and collects what was before.
fn goes_on(running: &'static Running) -> Pending<'static, ()> {
    let write = move || {
        let mut running = lock(running);
        let (durable, keys) = running.as_mut().unwrap();
        let key = KEYS + 1 + keys.len() as u32;
        match durable.insert(&[key], &[key]) {
            Ok(()) => keys.push(key),
            refused => return assert!(is_fenced(&refused), "{refused:?}"),
        }
        let mut publish = || -> Result<()> {
            durable.cleanup()?;
            durable.checkpoint()?;
            durable.checkpoint()?;
            durable.collect().map(drop)
        };
        let published = publish();
        assert!(published.is_ok() || is_fenced(&published), "{published:?}");
    };
    Box::pin(async move {
        tokio::task::spawn_blocking(write).await.unwrap();
        Ok(())
    })
}

fn goes_on_once(_: Arc<Memory>) -> Pending<'static, ()> {
    goes_on(&ONCE)
}

fn goes_on_always(_: Arc<Memory>) -> Pending<'static, ()> {
    goes_on(&ALWAYS)
}

/// The opening succeeded. It has all that was acknowledged, and the writer before is told.
fn check_taken_over(running: &Running, opened: &Durable<u32, u32>, what: &str) {
    let (mut durable, keys) = lock(running).take().unwrap();
    assert_eq!(opened.len().unwrap(), u64::from(KEYS) + 1 + keys.len() as u64, "{what}");
    assert!(keys.iter().all(|&key| opened.get(key).unwrap() == Some(key)), "{what}");
    assert!(is_fenced(&durable.insert(&[0], &[0])), "{what}");
    opened.verify().unwrap();
}

#[test]
fn what_is_written_at_any_operation_of_an_opening_is_not_lost() {
    let (mut skip, mut counted) = (0, 0);
    loop {
        let (place, store, running) = begin();
        *lock(&ONCE) = Some((running, Vec::new()));
        place.plan("", skip, goes_on_once, Then::Goes);
        let mut opened = open(&store).unwrap();
        let is_met = place.plans() == 0;
        counted += lock(&ONCE).as_ref().unwrap().1.len();
        check_taken_over(&ONCE, &opened, &format!("operation {skip}"));
        if !is_met {
            break;
        }
        opened.insert(&[0], &[1]).unwrap();
        opened.checkpoint().unwrap();
        assert_eq!(store.load::<u32, u32>(&Device::host()).unwrap().get(0).unwrap(), Some(1));
        skip += 1;
    }
    assert!(skip > 10 && counted > 8, "{skip} {counted}");
}

/// A writer that publishes faster than others can read is replaced nevertheless.
#[test]
fn an_opening_that_is_always_overtaken_succeeds() {
    let (place, store, running) = begin();
    *lock(&ALWAYS) = Some((running, Vec::new()));
    for _ in 0..10 {
        place.plan("read runs", 0, goes_on_always, Then::Goes);
    }
    let opened = open(&store).unwrap();
    let written = lock(&ALWAYS).as_ref().unwrap().1.len();
    assert!((2..8).contains(&written), "{written}");
    check_taken_over(&ALWAYS, &opened, "always");
}

static FAST: Running = Mutex::new(None);

/// The writer that runs writes a batch, unless somebody has taken an epoch.
fn writes_unless_replaced(memory: Arc<Memory>) -> Pending<'static, ()> {
    Box::pin(async move {
        if memory.names("manifest").len() == MANIFESTS {
            tokio::task::spawn_blocking(write_another).await.unwrap();
        }
        Ok(())
    })
}

fn write_another() {
    let mut running = lock(&FAST);
    let (durable, keys) = running.as_mut().unwrap();
    let key = KEYS + 1 + keys.len() as u32;
    durable.insert(&[key], &[key]).unwrap();
    keys.push(key);
}

/// Of the writer that runs: its epoch and its version.
const MANIFESTS: usize = 2;

/// A writer that appends faster than others can replay is replaced nevertheless, and does not keep readers forever.
#[test]
fn a_log_that_grows_while_it_is_read_is_not_followed_forever() {
    let written = || lock(&FAST).as_ref().unwrap().1.len();
    let (place, store, running) = begin();
    *lock(&FAST) = Some((running, Vec::new()));
    // More than are read ahead, so that the end is never met.
    (0..20).for_each(|_| write_another());
    (0..10_000).for_each(|_| place.plan("read log", 0, writes_unless_replaced, Then::Goes));
    store.load::<u32, u32>(&Device::host()).unwrap();
    let by_then = written();
    assert!((260..2000).contains(&by_then), "{by_then}");
    let opened = open(&store).unwrap();
    assert!((by_then + 300..by_then + 4000).contains(&written()), "{by_then} {}", written());
    check_taken_over(&FAST, &opened, "fast");
}
