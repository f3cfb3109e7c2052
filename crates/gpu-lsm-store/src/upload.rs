//! Bringing runs to the store. Runs that the store has are not written again.

use crate::checksum::Checksum;
use crate::code::StoredCode;
use crate::error::{Error, Result};
use crate::kept::Kept;
use crate::layout::Layout;
use crate::manifest::{Manifest, RunEntry, RunFile, Shard};
use crate::names;
use crate::objects::Objects;
use crate::protocol::FileIds;
use crate::run_file;
use crate::runtime::aside;
use crate::types::{StoredKey, StoredValue};
use futures_util::{StreamExt, TryStreamExt, stream};
use gpu_lsm::{Columns, Key, RunId, Snapshot, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Files that are encoded and written at a time.
const AT_A_TIME: usize = 4;

/// The most runs that are remembered. Each loading makes new ones, and who reads a store again and again would remember ever more.
const MOST_KNOWN: usize = 1 << 16;

/// The runs in memory that are known to be in a store, by their identity in this process: the newest of them. Older ones would be
/// written again if they were saved.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known(BTreeMap<RunId, RunEntry>);

impl Known {
    pub(crate) fn insert(&mut self, id: RunId, entry: RunEntry) {
        self.0.insert(id, entry);
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
        self.forget_beyond(MOST_KNOWN);
    }

    fn forget_beyond(&mut self, most: usize) {
        while self.0.len() > most {
            self.0.pop_first();
        }
    }

    /// Those of which a manifest names all files. Others may have been collected. Identities alone do not tell: a store that was
    /// deleted and made again at the same place gives them a second time.
    pub(crate) fn named_by(&self, manifest: &Manifest) -> Self {
        let named: BTreeMap<_, _> = manifest.files().map(|file| (file.id, file)).collect();
        let is_named = |entry: &RunEntry| entry.files.iter().all(|file| named.get(&file.id) == Some(&file));
        Self(
            self.0
                .iter()
                .filter(|(_, entry)| is_named(entry))
                .map(|(&id, entry)| (id, entry.clone()))
                .collect(),
        )
    }
}

/// Writes the runs of a snapshot that are not known. Returns its shards with all their runs, newest first, and what is known of
/// these.
pub(crate) async fn upload<D: Kept>(
    objects: &Arc<dyn Objects>,
    ids: &FileIds,
    layout: &Layout,
    snapshot: &D::Snapshot,
    known: &Known,
) -> Result<(Vec<Shard>, Known)> {
    let (mut shards, mut now_known) = (Vec::new(), Known::default());
    for (first, shard) in D::shards(snapshot) {
        let (runs, known) = upload_shard(objects, ids, layout, &shard, known).await?;
        shards.push(Shard { from: first.to_code().to_number(), runs });
        now_known.extend(known);
    }
    Ok((shards, now_known))
}

async fn upload_shard<K: StoredKey, V: StoredValue>(
    objects: &Arc<dyn Objects>,
    ids: &FileIds,
    layout: &Layout,
    snapshot: &Snapshot<K, V>,
    known: &Known,
) -> Result<(Vec<RunEntry>, Known)> {
    let (mut entries, mut now_known) = (Vec::new(), Known::default());
    let of = snapshot.clone();
    for run in aside(move || Ok(of.runs()?)).await? {
        let files = match known.0.get(&run.id) {
            Some(entry) => entry.files.clone(),
            None => upload_run(objects, ids, layout, snapshot, run.id).await?,
        };
        let (first, last) = (run.first.to_code().to_number(), run.last.to_code().to_number());
        let (entries_of, tombstones) = (run.entries, run.tombstones);
        let entry = RunEntry { level: run.level as u32, entries: entries_of, tombstones, first, last, files };
        now_known.insert(run.id, entry.clone());
        entries.push(entry);
    }
    Ok((entries, now_known))
}

async fn upload_run<K: StoredKey, V: StoredValue>(
    objects: &Arc<dyn Objects>,
    ids: &FileIds,
    layout: &Layout,
    snapshot: &Snapshot<K, V>,
    id: RunId,
) -> Result<Vec<RunFile>> {
    let of = snapshot.clone();
    let columns = aside(move || Ok(of.run_columns(id)?)).await?;
    let columns = Arc::new(columns.ok_or_else(|| Error::corrupt("the snapshot", "it has lost a run"))?);
    let upload = |range: Range<usize>| upload_file(objects, ids, layout.clone(), Arc::clone(&columns), range);
    stream::iter(ranges(columns.keys.len())).map(upload).buffered(AT_A_TIME).try_collect().await
}

/// The stretches of a run of this length that become files.
fn ranges(len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(run_file::MOST_ENTRIES).map(move |start| start..len.min(start + run_file::MOST_ENTRIES))
}

async fn upload_file<C: StoredCode + Send + Sync, V: Value>(
    objects: &Arc<dyn Objects>,
    ids: &FileIds,
    layout: Layout,
    columns: Arc<Columns<C, V>>,
    range: Range<usize>,
) -> Result<RunFile> {
    let (id, entries) = (ids.next(), range.len() as u64);
    let bytes = aside(move || run_file::encode(&layout, &columns, range)).await?;
    let file = RunFile { id, entries, bytes: bytes.len() as u64, crc32c: Checksum::of(&bytes) };
    create_once(objects, &names::run(id), bytes, file.crc32c).await?;
    Ok(file)
}

/// Creates an object whose name nobody else uses. If there is one, it must be the same: a create that was repeated.
pub(crate) async fn create_once(
    objects: &Arc<dyn Objects>,
    name: &str,
    bytes: bytes::Bytes,
    checksum: Checksum,
) -> Result<()> {
    if objects.create(name, bytes).await? {
        return Ok(());
    }
    let there = objects.read(name).await?.ok_or_else(|| Error::vanished(name))?;
    if Checksum::of(&there) == checksum {
        return Ok(());
    }
    Err(Error::corrupt(name, "another object has this name"))
}

#[cfg(test)]
mod tests {
    use super::Known;
    use crate::manifest::RunEntry;
    use gpu_lsm::{Config, Device, Dictionary};

    #[test]
    fn only_the_newest_runs_are_remembered() {
        let entry = RunEntry { level: 0, entries: 1, tombstones: 0, first: 7, last: 7, files: vec![] };
        let mut known = Known::default();
        let ids: Vec<_> = (0..5)
            .map(|_| {
                let one = Dictionary::build(&Device::host(), Config::new(), &[7u32], &[7u32]).unwrap();
                one.runs().unwrap()[0].id
            })
            .collect();
        for &id in &ids {
            known.insert(id, entry.clone());
        }
        known.forget_beyond(3);
        assert!(known.0.keys().eq(&ids[2..]));
    }
}
