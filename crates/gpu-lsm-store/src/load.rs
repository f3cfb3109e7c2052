//! Making a dictionary of a store: the runs of a manifest, followed by the log.

use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::manifest::{Last, Manifest, RunEntry, RunFile};
use crate::names;
use crate::objects::Objects;
use crate::operation::Operation;
use crate::protocol::{Walk, is_current, latest, read_manifest};
use crate::record::{BatchEntry, Part, Place, Record};
use crate::run_file;
use crate::runtime::aside;
use crate::types::{StoredCode, StoredKey, StoredValue};
use crate::upload::Known;
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use gpu_lsm::{BackendError, Columns, Config, Device, Dictionary, RunInfo};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::runtime::Handle;

/// Files that are read and decoded at a time.
const AT_A_TIME: usize = 4;
/// Log records that are read before they are needed.
pub(crate) const AHEAD: usize = 8;
/// How often a reader starts again because what it was reading was collected.
const TRIES: usize = 8;

/// A dictionary with the last batches of callers.
pub(crate) struct State<K: StoredKey, V: StoredValue> {
    pub(crate) dictionary: Dictionary<K, V>,
    pub(crate) callers: BTreeMap<String, Last>,
}

/// Refuses a store with other types, or with shards.
pub(crate) fn check<K: StoredKey, V: StoredValue>(manifest: &Manifest) -> Result<()> {
    if manifest.key != K::NAME || manifest.value != V::NAME {
        let (stored_key, stored_value) = (manifest.key.clone(), manifest.value.clone());
        return Err(Error::OtherTypes {
            stored_key,
            stored_value,
            key: K::NAME.into(),
            value: V::NAME.into(),
        });
    }
    match manifest.shards.len() {
        1 => Ok(()),
        shards => Err(Error::ManyShards { shards }),
    }
}

/// The newest state of a store, read without taking it over.
pub(crate) async fn load_latest<K: StoredKey, V: StoredValue>(
    objects: &Arc<dyn Objects>,
    device: &Device,
    config: Config,
) -> Result<(State<K, V>, Known)> {
    let mut tries = 0;
    loop {
        let newest = latest(&**objects).await?;
        let manifest = newest.ok_or_else(|| Error::NoStore { url: objects.describe() })?;
        check::<K, V>(&manifest)?;
        let loaded = load_with_log(objects, &manifest, device, config).await;
        tries += 1;
        // A writer may have collected what was being read.
        if is_current(&**objects, &manifest).await? || tries == TRIES {
            return loaded;
        }
    }
}

async fn load_with_log<K: StoredKey, V: StoredValue>(
    objects: &Arc<dyn Objects>,
    manifest: &Manifest,
    device: &Device,
    config: Config,
) -> Result<(State<K, V>, Known)> {
    let (mut state, known) = load(objects, manifest, device, config).await?;
    let mut walk = Walk::new(objects, &manifest.log, AHEAD);
    while let Some((number, record)) = walk.next().await? {
        state = replay(objects, state, number, record).await?;
    }
    Ok((state, known))
}

/// A version of a store, without the log.
pub(crate) async fn load_version<K: StoredKey, V: StoredValue>(
    objects: &Arc<dyn Objects>,
    version: u64,
    device: &Device,
    config: Config,
) -> Result<(State<K, V>, Known)> {
    let gone = Error::NoSuchVersion { version };
    let newest = latest(&**objects).await?.ok_or_else(|| Error::NoStore { url: objects.describe() })?;
    check::<K, V>(&newest)?;
    if !newest.versions.contains(&version) {
        return Err(gone);
    }
    let Some(manifest) = read_manifest(&**objects, version).await? else { return Err(gone) };
    let loaded = load(objects, &manifest, device, config).await;
    match loaded {
        // It may have been collected in the meantime.
        Err(Error::Corrupt { .. }) if read_manifest(&**objects, version).await?.is_none() => Err(gone),
        loaded => loaded,
    }
}

/// The state of a manifest, without the log.
pub(crate) async fn load<K: StoredKey, V: StoredValue>(
    objects: &Arc<dyn Objects>,
    manifest: &Manifest,
    device: &Device,
    config: Config,
) -> Result<(State<K, V>, Known)> {
    let config = config.with_batch_size(usize::try_from(manifest.batch_size).unwrap_or(usize::MAX));
    let (objects, device, manifest) = (Arc::clone(objects), device.clone(), manifest.clone());
    let handle = Handle::current();
    aside(move || {
        let runs = &manifest.shards[0].runs;
        let dictionary = of_runs(&handle, &objects, &device, config, runs)?;
        let corrupt = |what: &str| Error::corrupt(names::manifest(manifest.number), what);
        let mut known = Known::default();
        let infos = dictionary.runs()?;
        for (info, entry) in infos.iter().zip(runs) {
            if !is_as_named(info, entry) {
                return Err(corrupt("a run is not as it says"));
            }
            known.insert(info.id, entry.clone());
        }
        Ok((State { dictionary, callers: manifest.callers }, known))
    })
    .await
}

fn is_as_named<K: StoredKey>(info: &RunInfo<K>, entry: &RunEntry) -> bool {
    let ends = (info.first.to_code().to_number(), info.last.to_code().to_number());
    info.tombstones == entry.tombstones && ends == (entry.first, entry.last)
}

/// A dictionary of runs, of which only one at a time is in the host's memory.
fn of_runs<K: StoredKey, V: StoredValue>(
    handle: &Handle,
    objects: &Arc<dyn Objects>,
    device: &Device,
    config: Config,
    runs: &[RunEntry],
) -> Result<Dictionary<K, V>> {
    let mut failure = None;
    let columns = runs.iter().map(|run| match handle.block_on(read_run::<K, V>(objects, run)) {
        Ok(columns) => Ok((run.level as usize, columns)),
        Err(error) => {
            failure = Some(error);
            Err(BackendError::Failed { message: "a run could not be read".into() }.into())
        }
    });
    let dictionary = Dictionary::from_runs(device, config, columns);
    match (failure, dictionary) {
        (Some(error), _) => Err(error),
        (None, Err(gpu_lsm::Error::Backend(BackendError::Malformed { what }))) => {
            Err(Error::corrupt(names::RUNS, what))
        }
        (None, dictionary) => Ok(dictionary?),
    }
}

async fn read_run<K: StoredKey, V: StoredValue>(
    objects: &Arc<dyn Objects>,
    run: &RunEntry,
) -> Result<Columns<K::Code, V>> {
    let files = run.files.iter().map(|file| read_file::<K, V>(Arc::clone(objects), file.clone()));
    let files: Vec<_> = stream::iter(files).buffered(AT_A_TIME).try_collect().await?;
    aside(move || Ok(run_file::concat(files))).await
}

async fn read_file<K: StoredKey, V: StoredValue>(
    objects: Arc<dyn Objects>,
    file: RunFile,
) -> Result<Columns<K::Code, V>> {
    let name = names::run(file.id);
    let bytes = objects.read(&name).await?.ok_or_else(|| Error::corrupt(name, "it is missing"))?;
    aside(move || run_file::decode::<K, V>(&file, bytes)).await
}

/// Applies a record.
pub(crate) async fn replay<K: StoredKey, V: StoredValue>(
    objects: &Arc<dyn Objects>,
    mut state: State<K, V>,
    number: u64,
    record: Record,
) -> Result<State<K, V>> {
    let mut payload = record.payload.clone();
    for entry in record.batches() {
        let operation = read_operation::<K, V>(objects, number, entry, &mut payload).await?;
        let apply = move || {
            operation.apply_to(&mut state.dictionary)?;
            Ok(state)
        };
        state = aside(apply).await?;
        if let Some(origin) = &entry.origin {
            let last = Last { number: origin.number, crc32c: entry.crc32c };
            state.callers.insert(origin.caller.clone(), last);
        }
    }
    Ok(state)
}

/// The operation of a batch. Takes its bytes, if they are in the record.
async fn read_operation<K: StoredKey, V: StoredValue>(
    objects: &Arc<dyn Objects>,
    number: u64,
    entry: &BatchEntry,
    payload: &mut Bytes,
) -> Result<Operation<K, V>> {
    let pieces = match &entry.place {
        Place::Here(bytes) => vec![(entry.rows, payload.split_to(*bytes as usize))],
        Place::Parts(parts) => read_parts(objects, parts).await?,
    };
    let operation =
        Operation::decode(&entry.operation, pieces.iter().map(|(rows, piece)| (*rows, &piece[..])));
    let is_right = |operation: &Operation<K, V>| {
        operation.rows() as u64 == entry.rows && operation.checksum() == entry.crc32c
    };
    let what = || format!("its batch {:?} is not as it says, or the operation is not known", entry.operation);
    operation.filter(is_right).ok_or_else(|| Error::corrupt(names::record(number), what()))
}

async fn read_parts(objects: &Arc<dyn Objects>, parts: &[Part]) -> Result<Vec<(u64, Bytes)>> {
    let read = |part: Part| async move {
        let name = names::part(part.id);
        let bytes = objects.read(&name).await?.ok_or_else(|| Error::corrupt(&name, "it is missing"))?;
        if bytes.len() as u64 != part.bytes || Checksum::of(&bytes) != part.crc32c {
            return Err(Error::corrupt(&name, "its length or checksum is not that in the record"));
        }
        Ok((part.rows, bytes))
    };
    stream::iter(parts.iter().cloned()).map(read).buffered(AT_A_TIME).try_collect().await
}
