//! Writers and readers that are overtaken by another writer at the worst moment, and servers that refuse for no reason. What
//! is said of a batch must be true, and a healthy store is never called damaged.

use crate::meddled::{Meddled, Then, nothing};
use crate::memory::Memory;
use gpu_lsm::{Config, Device, Dictionary};
use gpu_lsm_store::manifest::Manifest;
use gpu_lsm_store::nonce::Nonces;
use gpu_lsm_store::protocol::{Claim, Leader, Retention, Version, collect};
use gpu_lsm_store::{Durable, Error, Objects, Options, Pending, Result, Store, names};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub(crate) fn options() -> Options {
    Options::new().with_config(Config::new().with_batch_size(8))
}

pub(crate) fn store_of(place: &Arc<Meddled>) -> Store {
    Store::over(Arc::clone(place) as _)
}

fn open(store: &Store) -> Durable<u32, u32> {
    store.write(&Device::host(), options()).unwrap()
}

/// A new store and its writer.
fn begin(options: Options) -> (Arc<Meddled>, Store, Durable<u32, u32>) {
    let place = Meddled::new();
    let store = store_of(&place);
    let durable = store.write(&Device::host(), options).unwrap();
    (place, store, durable)
}

/// The same with an entry in a version.
fn begin_with_a_version() -> (Arc<Meddled>, Store, u64) {
    let (place, store, mut durable) = begin(options());
    durable.insert(&[1], &[1]).unwrap();
    let version = durable.checkpoint().unwrap();
    (place, store, version)
}

pub(crate) fn is_fenced<T>(result: &Result<T>) -> bool {
    matches!(result, Err(Error::Fenced { .. }))
}

/// Another writer takes the store over.
fn taken_over(memory: Arc<Memory>) -> Pending<'static, ()> {
    Box::pin(async move { take_over(memory).await.map(drop) })
}

async fn take_over(memory: Arc<Memory>) -> Result<Leader> {
    let objects: Arc<dyn Objects> = memory;
    let claim = Claim::take(&objects, Nonces::random(), None, |_| Ok(())).await?;
    Ok(claim.lead_from_end().await?.0)
}

/// Another writer takes the store over, and collects all that was before.
fn collected(memory: Arc<Memory>) -> Pending<'static, ()> {
    Box::pin(async move {
        let mut leader = take_over(Arc::clone(&memory)).await?;
        publish(&mut leader, &memory, 1).await?;
        publish(&mut leader, &memory, 1).await
    })
}

/// Another writer takes the store over, and keeps the two newest versions.
fn collected_but_two(memory: Arc<Memory>) -> Pending<'static, ()> {
    Box::pin(async move { publish(&mut take_over(Arc::clone(&memory)).await?, &memory, 2).await })
}

/// Publishes a version of the same runs in new files, and collects.
async fn publish(leader: &mut Leader, memory: &Memory, versions: usize) -> Result<()> {
    let before = leader.manifest().clone();
    let mut shards = before.shards.clone();
    for file in shards.iter_mut().flat_map(|shard| &mut shard.runs).flat_map(|run| &mut run.files) {
        let bytes = memory.read(&names::run(file.id)).await?.unwrap();
        file.id = leader.ids().next();
        assert!(memory.create(&names::run(file.id), bytes).await?);
    }
    let log = leader.log_before(leader.next(), None);
    let (batch_size, callers) = (before.batch_size, before.callers.clone());
    let version = Version { batch_size, log, callers, shards };
    leader.publish(&version, &Retention { versions, age: Duration::ZERO }).await?;
    collect(&leader.collection(before)).await.map(drop)
}

#[test]
fn a_batch_that_counts_is_acknowledged_although_its_writer_was_replaced() {
    let (place, store, mut durable) = begin(options());
    place.plan("create log", 0, taken_over, Then::IsNotAnswered);
    durable.insert(&[1], &[1]).unwrap();
    assert_eq!(durable.get(1).unwrap(), Some(1));
    assert!(is_fenced(&durable.insert(&[2], &[2])));
    assert_eq!(store.load::<u32, u32>(&Device::host()).unwrap().get(1).unwrap(), Some(1));
    assert_eq!(durable.get(1).unwrap(), Some(1), "it was acknowledged");
}

#[test]
fn a_batch_that_cannot_count_any_more_is_refused() {
    let (place, _, mut durable) = begin(options());
    place.plan("create log", 0, taken_over, Then::Fails);
    assert!(is_fenced(&durable.insert(&[1], &[1])));
    assert!(durable.is_empty().unwrap());
}

/// Fences stay, and tell how far the log went.
#[test]
fn what_counts_is_known_even_if_it_was_collected() {
    for then in [Then::IsNotAnswered, Then::Fails] {
        let (place, _, mut durable) = begin(options());
        durable.insert(&[1], &[1]).unwrap();
        place.plan("create log", 0, collected, then);
        let outcome = durable.insert(&[2], &[2]);
        assert!(
            if then == Then::Fails { is_fenced(&outcome) } else { outcome.is_ok() },
            "{then:?}: {outcome:?}"
        );
        assert!(is_fenced(&durable.insert(&[3], &[3])));
        assert_eq!(durable.len().unwrap(), 1 + u64::from(outcome.is_ok()));
    }
}

/// A manifest does not name fences forever.
#[test]
fn nobody_can_tell_what_counted_hundreds_of_writers_ago() {
    let (place, _, mut durable) = begin(options());
    fn replaced_often(memory: Arc<Memory>) -> Pending<'static, ()> {
        Box::pin(async move {
            for _ in 0..300 {
                collected(Arc::clone(&memory)).await?;
            }
            Ok(())
        })
    }
    place.plan("create log", 0, replaced_often, Then::IsNotAnswered);
    let error = durable.insert(&[1], &[1]).unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    assert!(is_fenced(&durable.insert(&[2], &[2])));
    assert!(durable.is_empty().unwrap());
}

/// As S3 may, if two creations meet.
#[test]
fn a_creation_that_is_refused_for_no_reason_can_be_repeated() {
    for operation in ["create log", "create runs", "create parts", "create manifest"] {
        let (place, store, mut durable) = begin(options().with_part_bytes(200));
        place.plan(operation, 0, nothing, Then::IsRefused);
        let keys: Vec<u32> = (0..100).collect();
        let mut errors = 0;
        let mut repeat = |mut call: Box<dyn FnMut() -> Result<()> + '_>| {
            while let Err(error) = call() {
                let is_expected = matches!(error, Error::NotWritten { .. } | Error::Unavailable { .. });
                assert!(is_expected, "{operation}: {error}");
                errors += 1;
                assert!(errors < 3, "{operation} can't be repeated");
            }
        };
        repeat(Box::new(|| durable.insert(&keys, &keys)));
        repeat(Box::new(|| durable.checkpoint().map(drop)));
        assert_eq!((place.plans(), errors), (0, 1), "{operation}");
        assert_eq!(durable.len().unwrap(), 100);
        assert_eq!(open(&store).len().unwrap(), 100);
    }
}

static MAY_UPLOAD: AtomicBool = AtomicBool::new(false);

fn wait_to_upload(_: Arc<Memory>) -> Pending<'static, ()> {
    Box::pin(async {
        while !MAY_UPLOAD.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    })
}

/// A checkpoint ends while the writer is taking another epoch. It must not take that for another writer's.
#[test]
fn a_writer_does_not_fence_itself() {
    let (place, store, mut durable) = begin(options().with_checkpoint_bytes(1));
    place.plan("create runs", 0, wait_to_upload, Then::Goes);
    durable.insert(&[1], &[1]).unwrap();
    // A new epoch is taken, and another when that is tried again, but the lists after them fail.
    place.plan("create log", 0, nothing, Then::Fails);
    (0..2).for_each(|_| place.plan("list manifest", 1, nothing, Then::Fails));
    let error = durable.insert(&[2], &[2]).unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
    MAY_UPLOAD.store(true, Ordering::Relaxed);
    until(|| !place.memory.names("runs").is_empty());
    // Until the writer knows.
    std::thread::sleep(Duration::from_millis(300));
    durable.insert(&[3], &[3]).unwrap();
    durable.checkpoint().unwrap();
    assert_eq!(place.plans(), 0);
    assert_eq!(open(&store).range_in(..).unwrap().0, [1, 3]);
}

/// The share of the log that a failed checkpoint had taken on is the next one's.
#[test]
fn a_failed_checkpoint_is_made_up_for() {
    let (place, store, mut durable) = begin(options().with_checkpoint_bytes(8000));
    place.plan("create runs", 0, nothing, Then::Fails);
    let mut key = 0;
    while place.plans() > 0 {
        key += 1;
        durable.insert(&[key], &[key]).unwrap();
        // Until a checkpoint has begun, and the writer knows how it ended.
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(key > 8, "{key}");
    (0..4).for_each(|key| durable.insert(&[key], &[key]).unwrap());
    until(|| !store.versions().unwrap().is_empty());
}

/// It has taken nothing over yet, so it is not replaced: it begins again, and takes the epoch first if that happens too often.
#[test]
fn an_opener_that_is_overtaken_while_it_reads_begins_again() {
    for overtaken in 1..=4 {
        let (place, store, _) = begin_with_a_version();
        (0..overtaken).for_each(|_| place.plan("read runs", 0, collected, Then::Goes));
        let opened = store.write::<u32, u32>(&Device::host(), options());
        assert_eq!(place.plans(), 0);
        if overtaken < 4 {
            assert_eq!(opened.unwrap().len().unwrap(), 1);
        } else {
            assert!(is_fenced(&opened), "now it was replaced");
        }
        assert_eq!(open(&store).len().unwrap(), 1);
    }
}

#[test]
fn an_opener_that_is_replaced_before_it_fences_is_fenced() {
    for replacing in [taken_over, collected] {
        let (place, store, _) = begin_with_a_version();
        place.plan("create log", 0, replacing, Then::Goes);
        assert!(is_fenced(&store.write::<u32, u32>(&Device::host(), options())));
        assert_eq!((place.plans(), open(&store).len().unwrap()), (0, 1));
    }
}

/// Another state is saved while a reader reads, and then written to. What is written follows that state, and not the one before.
#[test]
fn a_reader_does_not_mix_two_states() {
    fn replaced_and_written(memory: Arc<Memory>) -> Pending<'static, ()> {
        let live = move || {
            let store = Store::over(memory);
            let other = Dictionary::build(&Device::host(), Config::new(), &[2u32], &[2u32]).unwrap();
            store.save(&other).unwrap();
            open(&store).insert(&[3], &[3]).unwrap();
        };
        Box::pin(async move {
            tokio::task::spawn_blocking(live).await.unwrap();
            Ok(())
        })
    }
    let place = Meddled::new();
    let (store, mut kept) = (store_of(&place), Vec::new());
    // A version, and records behind it of several writers.
    for key in [1, 10, 11] {
        open(&store).insert(&[key], &[key]).unwrap();
        kept.push(key);
        if key == 1 {
            open(&store).checkpoint().unwrap();
        }
    }
    place.plan("read runs", 0, replaced_and_written, Then::Goes);
    let loaded = store.load::<u32, u32>(&Device::host()).unwrap();
    assert_eq!((place.plans(), loaded.range_in(..).unwrap().0), (0, kept));
    assert_eq!(store.load::<u32, u32>(&Device::host()).unwrap().range_in(..).unwrap().0, [2, 3]);
}

#[test]
fn a_check_that_is_overtaken_begins_again() {
    let (place, store, mut durable) = begin(options().with_versions(2));
    for key in 0..2 {
        durable.insert(&[key], &[key]).unwrap();
        durable.cleanup().unwrap();
        durable.checkpoint().unwrap();
    }
    assert_eq!(store.verify(|_, _| ()).unwrap().files, 2);
    // The newest state that it began with stays, the version before is dropped.
    place.plan("read runs", 0, collected_but_two, Then::Goes);
    assert_eq!(store.verify(|_, _| ()).unwrap().versions, 2);
    assert_eq!(place.plans(), 0);
}

#[test]
fn a_reader_that_is_always_overtaken_does_not_call_the_store_damaged() {
    for overtaken in [7, 8] {
        let (place, store, _) = begin_with_a_version();
        (0..overtaken).for_each(|_| place.plan("read runs", 0, collected, Then::Goes));
        match store.load::<u32, u32>(&Device::host()) {
            Ok(loaded) => assert_eq!((overtaken, loaded.len().unwrap()), (7, 1)),
            Err(error) => assert!(overtaken == 8 && error.to_string().contains("retain more"), "{error}"),
        }
        assert_eq!(place.plans(), 0);
    }
}

/// The manifest of a version that was dropped may still be there, because its collection was interrupted.
#[test]
fn a_version_that_was_dropped_is_none_although_its_manifest_is_there() {
    let (place, store, version) = begin_with_a_version();
    fn collected_in_part(memory: Arc<Memory>) -> Pending<'static, ()> {
        Box::pin(async move {
            let name = memory.names("manifest").pop().unwrap();
            let bytes = memory.get(&name);
            collected(Arc::clone(&memory)).await?;
            memory.set(&name, bytes);
            Ok(())
        })
    }
    place.plan("read runs", 0, collected_in_part, Then::Goes);
    let loaded = store.load_version::<u32, u32>(&Device::host(), version);
    assert_eq!(loaded.err(), Some(Error::NoSuchVersion { version }));
}

/// A backup that is being restored, or an editor, leaves such names.
#[test]
fn objects_that_are_not_the_stores_are_left_alone() {
    let place = Meddled::new();
    let store = store_of(&place);
    open(&store).insert(&[1], &[1]).unwrap();
    let strays = [
        names::manifest(99) + ".partial",
        names::manifest(99).replace("manifest/", "manifest/old/"),
        names::record(1) + "~",
        names::record(98).replace(".arrow", ".tmp"),
    ];
    strays.iter().for_each(|name| place.memory.set(name, Some("a stray".into())));
    let mut durable = open(&store);
    durable.checkpoint().unwrap();
    durable.checkpoint().unwrap();
    durable.collect().unwrap();
    assert_eq!(store.load::<u32, u32>(&Device::host()).unwrap().len().unwrap(), 1);
    assert!(strays.iter().all(|name| place.memory.get(name).is_some()));
}

/// Damage is damage, whoever takes the store over meanwhile, and however often the reader is overtaken.
#[test]
fn damage_is_not_taken_for_a_collection() {
    let (place, store, _) = begin_with_a_version();
    let [run] = &place.memory.names("runs")[..] else { panic!("there is one run") };
    place.memory.set(run, Some("damaged".into()));
    let is_corrupt = |error: Option<Error>| matches!(error, Some(Error::Corrupt { .. }));
    for _ in 0..3 {
        place.plan("read runs", 0, taken_over, Then::Goes);
    }
    assert!(is_corrupt(store.write::<u32, u32>(&Device::host(), options()).err()));
    assert!(is_corrupt(store.load::<u32, u32>(&Device::host()).err()));
    assert!(is_corrupt(store.verify(|_, _| ()).err()));
    assert_eq!(place.plans(), 0);
}

/// A fuzzer found that a check then believed that it was overtaken, over and over.
#[test]
fn a_boundary_ahead_of_a_version_is_not_taken_for_a_collection() {
    let (place, store, version) = begin_with_a_version();
    let name = names::manifest(version);
    let mut manifest = Manifest::decode(version, &place.memory.get(&name).unwrap()).unwrap();
    manifest.versions = vec![1, version];
    assert_eq!(manifest.boundary.manifest, version);
    place.memory.set(&name, Some(manifest.encode()));
    place.memory.set(&place.memory.names("runs")[0], None);
    let error = store.verify(|_, _| ()).unwrap_err();
    assert!(matches!(error, Error::Missing { .. }), "{error}");
}

/// Waits for something that must happen soon.
fn until(happened: impl Fn() -> bool) {
    let started = Instant::now();
    while !happened() {
        assert!(started.elapsed() < Duration::from_secs(60), "it never happens");
        std::thread::sleep(Duration::from_millis(1));
    }
}
