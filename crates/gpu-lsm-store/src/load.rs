//! Making a dictionary of a store: the runs of a manifest, followed by the log.

use crate::checksum::Checksum;
use crate::code::StoredCode;
use crate::error::{Error, Result};
use crate::kept::{CodeOf, Kept, LeveledRun};
use crate::layout::Layout;
use crate::manifest::{Last, Manifest, RunEntry, RunFile, Shard};
use crate::names;
use crate::objects::Objects;
use crate::operation::Operation;
use crate::protocol::{Walk, is_current, latest, read_manifest};
use crate::record::{BatchEntry, Part, Place, Record};
use crate::run_file;
use crate::runtime::aside;
use crate::types::{StoredKey, StoredValue, Types};
use crate::upload::Known;
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use gpu_lsm::{BackendError, Columns, Config, Key, ShardRuns, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::runtime::Handle;

/// Parts of a batch that are read at a time.
const AT_A_TIME: usize = 4;
/// Log records that are read before they are needed.
const AHEAD: usize = 8;
/// Log records that are read without asking how many there are.
const FOLLOWED: u64 = 256;
/// How often a reader starts again because what it was reading was collected.
pub(crate) const TRIES: usize = 8;

/// A dictionary with the last batches of callers, and the columns of its keys and values.
pub(crate) struct State<D: Kept> {
    pub(crate) dictionary: D,
    pub(crate) layout: Layout,
    pub(crate) callers: BTreeMap<String, Last>,
}

/// A state with its log, read up to its end.
pub(crate) struct Loaded<D: Kept> {
    pub(crate) state: State<D>,
    /// The runs that the manifest names.
    pub(crate) known: Known,
    /// The bytes of the log.
    pub(crate) log_bytes: u64,
    pub(crate) walk: Walk,
}

impl<D: Kept> Loaded<D> {
    /// The state of a manifest, followed by the log.
    pub(crate) async fn read(
        objects: &Arc<dyn Objects>,
        manifest: &Manifest,
        home: &D::Home,
        config: Config,
    ) -> Result<Self> {
        let (state, known) = load(objects, manifest, home, config).await?;
        let walk = Walk::of_reader(objects, manifest, AHEAD);
        Self { state, known, log_bytes: 0, walk }.go_on(objects).await
    }

    /// Applies what the log has got since. A long log is not followed past where it ends by now: whoever writes may be faster.
    pub(crate) async fn go_on(mut self, objects: &Arc<dyn Objects>) -> Result<Self> {
        let (start, mut end) = (self.walk.position(), None);
        while end.is_none_or(|end| self.walk.position() < end)
            && let Some((number, record)) = self.walk.next().await?
        {
            self.log_bytes = self.log_bytes.saturating_add(record.log_bytes());
            self.state = replay(objects, self.state, number, record).await?;
            if end.is_none() && number - start >= FOLLOWED {
                end = Some(end_of_log(objects, number).await?);
            }
        }
        Ok(self)
    }
}

/// The number behind the last record of a log that has this one.
async fn end_of_log(objects: &Arc<dyn Objects>, number: u64) -> Result<u64> {
    let listed = objects.list(names::LOG, &names::record(number)).await?;
    Ok(listed
        .iter()
        .filter_map(|listed| names::number(&listed.name))
        .fold(number, u64::max)
        .saturating_add(1))
}

/// Refuses a store with other types, or with more shards than the dictionary can have.
pub(crate) fn check<D: Kept>(types: &Types, manifest: &Manifest) -> Result<()> {
    check_types(types, manifest)?;
    D::accept(manifest.shards.len())
}

/// Refuses a store with other types.
pub(crate) fn check_types(types: &Types, manifest: &Manifest) -> Result<()> {
    if manifest.key == types.key && manifest.value == types.value {
        return Ok(());
    }
    let (stored_key, stored_value) = (manifest.key.clone(), manifest.value.clone());
    let Types { key, value } = types.clone();
    Err(Error::OtherTypes { stored_key, stored_value, key, value })
}

/// The newest state of a store, read without taking it over.
pub(crate) async fn load_latest<D: Kept>(
    objects: &Arc<dyn Objects>,
    types: &Types,
    home: &D::Home,
    config: Config,
) -> Result<(State<D>, Known)> {
    let mut tries = 0;
    loop {
        let newest = latest(&**objects).await?;
        let manifest = newest.ok_or_else(|| Error::NoStore { url: objects.describe() })?;
        check::<D>(types, &manifest)?;
        let loaded = Loaded::read(objects, &manifest, home, config).await;
        tries += 1;
        // A writer may have collected what was being read.
        let is_failed = loaded.as_ref().is_err_and(|error| !error.is_missing());
        if is_failed || is_current(&**objects, &manifest).await? {
            return loaded.map(|loaded| (loaded.state, loaded.known));
        }
        if tries == TRIES {
            return Err(overtaken());
        }
    }
}

/// The error of a reader that was overtaken by collections, over and over.
pub(crate) fn overtaken() -> Error {
    let reason =
        format!("a writer collected it while it was read, {TRIES} times; let it retain more versions");
    Error::Unavailable { doing: "reading", name: "the newest state".into(), reason }
}

/// A version of a store, without the log.
pub(crate) async fn load_version<D: Kept>(
    objects: &Arc<dyn Objects>,
    types: &Types,
    version: u64,
    home: &D::Home,
    config: Config,
) -> Result<(State<D>, Known)> {
    let gone = Error::NoSuchVersion { version };
    let newest = latest(&**objects).await?.ok_or_else(|| Error::NoStore { url: objects.describe() })?;
    check_types(types, &newest)?;
    if !newest.versions.contains(&version) {
        return Err(gone);
    }
    let Some(manifest) = read_manifest(&**objects, version).await? else { return Err(gone) };
    // A plain dictionary may follow a sharded one, and the other way round.
    D::accept(manifest.shards.len())?;
    let loaded = load(objects, &manifest, home, config).await;
    if loaded.as_ref().is_err_and(Error::is_missing) {
        // It may have been dropped in the meantime, and its runs collected.
        let newest = latest(&**objects).await?;
        return if newest.is_some_and(|newest| newest.versions.contains(&version)) {
            loaded
        } else {
            Err(gone)
        };
    }
    loaded
}

/// The state of a manifest, without the log.
async fn load<D: Kept>(
    objects: &Arc<dyn Objects>,
    manifest: &Manifest,
    home: &D::Home,
    config: Config,
) -> Result<(State<D>, Known)> {
    let config = config.with_batch_size(usize::try_from(manifest.batch_size).unwrap_or(usize::MAX));
    let layout = Types::named(&manifest.key, &manifest.value).layout::<D::Key, D::Value>()?;
    let (objects, home, manifest) = (Arc::clone(objects), home.clone(), manifest.clone());
    let handle = Handle::current();
    aside(move || {
        let read = |run: &RunEntry| read_run(&handle, &objects, &layout, run);
        let dictionary = of_shards::<D>(read, &home, config, &manifest)?;
        let known = known::<D>(&dictionary, &manifest)?;
        Ok((State { dictionary, layout, callers: manifest.callers }, known))
    })
    .await
}

/// A dictionary of the runs of shards, of which only one at a time is in the host's memory. Blocks the thread.
fn of_shards<D: Kept>(
    columns_of: impl Fn(&RunEntry) -> Result<Columns<CodeOf<D>, D::Value>>,
    home: &D::Home,
    config: Config,
    manifest: &Manifest,
) -> Result<D> {
    let failure = RefCell::new(None);
    let read = |run: &RunEntry| -> Result<LeveledRun<D>, gpu_lsm::Error> {
        match columns_of(run) {
            Ok(columns) => Ok((run.level as usize, columns)),
            Err(error) => {
                failure.replace(Some(error));
                Err(BackendError::Failed { message: "a run could not be read".into() }.into())
            }
        }
    };
    let mut shards = Vec::new();
    for Shard { from, runs } in &manifest.shards {
        let too_large = || Error::corrupt(names::manifest(manifest.number), "a shard begins at no key");
        let first = D::Key::from_code(StoredCode::from_number(*from).ok_or_else(too_large)?);
        let entries = runs.iter().map(|run| run.entries).sum();
        shards.push(ShardRuns { first, entries, runs: runs.iter().map(&read) });
    }
    let dictionary = D::of_shards(home, config, shards);
    match (failure.take(), dictionary) {
        (Some(error), _) => Err(error),
        (None, Err(gpu_lsm::Error::Backend(BackendError::Malformed { what }))) => {
            Err(Error::corrupt(names::RUNS, what))
        }
        (None, dictionary) => Ok(dictionary?),
    }
}

/// The runs of a dictionary that a manifest names. None, if it was divided otherwise.
fn known<D: Kept>(dictionary: &D, manifest: &Manifest) -> Result<Known> {
    let mut known = Known::default();
    let shards = D::shards(dictionary);
    let firsts = shards.iter().map(|(first, _)| first.to_code().to_number());
    if !firsts.eq(manifest.shards.iter().map(|shard| shard.from)) {
        return Ok(known);
    }
    for ((_, shard), stored) in shards.iter().zip(&manifest.shards) {
        for (info, entry) in shard.runs()?.iter().zip(&stored.runs) {
            known.insert(info.id, entry.clone());
        }
    }
    Ok(known)
}

/// The entries of a run. Blocks the thread.
fn read_run<C: StoredCode + Send, V: Value>(
    handle: &Handle,
    objects: &Arc<dyn Objects>,
    layout: &Layout,
    run: &RunEntry,
) -> Result<Columns<C, V>> {
    let read = |file: &RunFile| handle.block_on(read_file(objects, file));
    let columns = run_file::read(layout, &run.files, read)?;
    let is_as_named = is_as_named(&columns, run);
    is_as_named
        .then_some(columns)
        .ok_or_else(|| Error::corrupt(names::RUNS, "a run is not as its manifest says"))
}

fn is_as_named<C: StoredCode, V: Value>(columns: &Columns<C, V>, entry: &RunEntry) -> bool {
    let tombstones: u64 = columns.marks.iter().map(|word| u64::from(word.count_ones())).sum();
    let ends = columns.keys.first().zip(columns.keys.last());
    let ends = ends.map(|(first, last)| (first.to_number(), last.to_number()));
    tombstones == entry.tombstones && ends == Some((entry.first, entry.last))
}

async fn read_file(objects: &Arc<dyn Objects>, file: &RunFile) -> Result<Bytes> {
    let name = names::run(file.id);
    objects.read(&name).await?.ok_or_else(|| Error::missing(name))
}

/// Applies a record.
async fn replay<D: Kept>(
    objects: &Arc<dyn Objects>,
    mut state: State<D>,
    number: u64,
    record: Record,
) -> Result<State<D>> {
    let mut payload = record.payload.clone();
    for entry in record.batches() {
        let operation =
            read_operation::<D::Key, D::Value>(objects, &state.layout, number, entry, &mut payload).await?;
        let apply = move || {
            state.dictionary.perform(&operation)?;
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
    layout: &Layout,
    number: u64,
    entry: &BatchEntry,
    payload: &mut Bytes,
) -> Result<Operation<K, V>> {
    let pieces = match &entry.place {
        Place::Here(bytes) => vec![(entry.rows, payload.split_to(*bytes as usize))],
        Place::Parts(parts) => read_parts(objects, parts).await?,
    };
    let operation =
        Operation::decode(layout, &entry.operation, pieces.iter().map(|(rows, piece)| (*rows, &piece[..])));
    let is_right = |operation: &Operation<K, V>| {
        operation.rows() as u64 == entry.rows && operation.checksum() == entry.crc32c
    };
    let what = || format!("its batch {:?} is not as it says, or the operation is not known", entry.operation);
    operation.filter(is_right).ok_or_else(|| Error::corrupt(names::record(number), what()))
}

/// The parts of a batch, with the number of their rows.
pub(crate) async fn read_parts(objects: &Arc<dyn Objects>, parts: &[Part]) -> Result<Vec<(u64, Bytes)>> {
    let read = |part: Part| async move {
        let name = names::part(part.id);
        let bytes = objects.read(&name).await?.ok_or_else(|| Error::missing(&name))?;
        if bytes.len() as u64 != part.bytes || Checksum::of(&bytes) != part.crc32c {
            return Err(Error::corrupt(&name, "its length or checksum is not that in the record"));
        }
        Ok((part.rows, bytes))
    };
    stream::iter(parts.iter().cloned()).map(read).buffered(AT_A_TIME).try_collect().await
}
