//! What a store has, whether it is whole, and cleaning it up, whatever the types of its keys and values are.

use crate::error::{Error, Result};
use crate::load::{TRIES, overtaken, read_parts};
use crate::manifest::{Manifest, RunFile};
use crate::names;
use crate::nonce::Nonces;
use crate::objects::{Listed, Objects};
use crate::protocol::{
    Claim, Collected, Walk, collect, is_current_with_versions, latest, read_manifest, sweep,
};
use crate::record::Place;
use crate::run_file;
use crate::runtime::wait;
use crate::store::{Store, VersionInfo};
use crate::types::Types;
use futures_util::{StreamExt, TryStreamExt, stream};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Files that are read at a time.
const AT_A_TIME: usize = 4;

/// What a store has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreInfo {
    /// Where it is, without what may be secret.
    pub url: String,
    /// The version of its format.
    pub format: u32,
    /// The name of its key type.
    pub key: String,
    /// The name of its value type.
    pub value: String,
    /// The capacity of the smallest level of a shard.
    pub batch_size: u64,
    /// How often it was opened for writing.
    pub epoch: u64,
    /// Its shards.
    pub shards: usize,
    /// The runs of the newest version.
    pub runs: usize,
    /// The versions, oldest first.
    pub versions: Vec<VersionInfo>,
    /// The records that opening it replays, and the bytes of these and of all later parts, also those of batches that never got a
    /// record.
    pub log: (u64, u64),
    /// All objects, and their bytes.
    pub objects: (u64, u64),
}

/// What was found whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Versions.
    pub versions: u64,
    /// Files of runs.
    pub files: u64,
    /// Log records.
    pub records: u64,
    /// Parts of batches.
    pub parts: u64,
    /// Bytes that were read.
    pub bytes: u64,
}

impl Store {
    /// Where the store is, without what may be secret.
    pub fn url(&self) -> String {
        self.objects().describe()
    }

    /// The types of its keys and values, and the number of its shards. It is only read. Waits for the store.
    ///
    /// # Errors
    /// [`Error::NoStore`]; or if the place fails or a manifest is damaged.
    pub fn kept(&self) -> Result<(Types, usize)> {
        let objects = Arc::clone(self.objects());
        let manifest = wait(async move { newest(&*objects).await })?;
        Ok((Types::named(manifest.key, manifest.value), manifest.shards.len()))
    }

    /// What the store has. It is only read. Waits for the store.
    ///
    /// # Errors
    /// [`Error::NoStore`]; or if the place fails or a manifest is damaged.
    pub fn info(&self) -> Result<StoreInfo> {
        let objects = Arc::clone(self.objects());
        let versions = self.versions()?;
        wait(async move {
            let newest = newest(&*objects).await?;
            let mut all = (0, 0);
            for folder in [names::MANIFESTS, names::RUNS] {
                add(&mut all, &objects.list(folder, "").await?);
            }
            let (log, parts) = (objects.list(names::LOG, "").await?, objects.list(names::PARTS, "").await?);
            add(&mut all, &log);
            add(&mut all, &parts);
            let log = log_ahead(&newest, &log, &parts);
            let runs = newest.shards.iter().map(|shard| shard.runs.len()).sum();
            Ok(StoreInfo {
                url: objects.describe(),
                format: newest.format,
                key: newest.key,
                value: newest.value,
                batch_size: newest.batch_size,
                epoch: newest.epoch,
                shards: newest.shards.len(),
                runs,
                versions,
                log,
                objects: all,
            })
        })
    }

    /// Reads every object that a version or the newest state is made of, and compares it with its checksum. The store is only
    /// read. `progress` is told the bytes so far, and of how many. Waits for the store.
    ///
    /// # Errors
    /// [`Error::Corrupt`] or [`Error::Missing`] names the first object that is damaged or not there;
    /// [`Error::NoStore`]; or if the place fails.
    pub fn verify(&self, mut progress: impl FnMut(u64, u64) + Send + 'static) -> Result<Verified> {
        let objects = Arc::clone(self.objects());
        wait(async move {
            let mut tries = 0;
            loop {
                let newest = newest(&*objects).await?;
                let verified = verify(&objects, &newest, &mut progress).await;
                tries += 1;
                // A writer may have collected what was being read.
                let is_overtaken = verified.as_ref().is_err_and(Error::is_missing);
                if !is_overtaken || is_current_with_versions(&*objects, &newest).await? {
                    return verified;
                }
                if tries == TRIES {
                    return Err(overtaken());
                }
            }
        })
    }

    /// Takes the store over and deletes everything that no version needs; keeps only the last `versions` versions, and at
    /// least one, if a number is given. No version is added. Whoever wrote to the store gets [`Error::Fenced`]. Waits for the store.
    ///
    /// # Errors
    /// [`Error::NoStore`]; [`Error::Fenced`] if somebody else took the store over meanwhile; or if the place fails.
    pub fn collect(&self, versions: Option<usize>) -> Result<Collected> {
        let objects = Arc::clone(self.objects());
        wait(async move {
            let claim = Claim::take(&objects, Nonces::random(), None, |_| Ok(())).await?;
            let (mut leader, _) = claim.lead_from_end().await?;
            let before = leader.manifest().clone();
            let mut dropped = Collected::default();
            if let Some(versions) = versions.filter(|&versions| versions.max(1) < before.versions.len()) {
                leader.drop_versions(versions).await?;
                dropped = collect(&leader.collection(before)).await?;
            }
            let swept = sweep(&leader.collection(leader.manifest().clone())).await?;
            Ok(dropped + swept)
        })
    }
}

fn add((objects, bytes): &mut (u64, u64), listed: &[Listed]) {
    *objects += listed.len() as u64;
    *bytes += listed.iter().map(|listed| listed.bytes).sum::<u64>();
}

/// The records that opening replays, and the bytes of these and of the parts that came after the manifest's last one.
fn log_ahead(newest: &Manifest, records: &[Listed], parts: &[Listed]) -> (u64, u64) {
    let is_record = |listed: &&Listed| names::number(&listed.name) >= Some(newest.log.position);
    let is_part = |listed: &&Listed| names::file_id(&listed.name) > newest.log.last_part;
    let records: Vec<_> = records.iter().filter(is_record).collect();
    let objects = records.iter().copied().chain(parts.iter().filter(is_part));
    (records.len() as u64, objects.map(|listed| listed.bytes).sum())
}

async fn newest(objects: &dyn Objects) -> Result<Manifest> {
    latest(objects).await?.ok_or_else(|| Error::NoStore { url: objects.describe() })
}

async fn verify(
    objects: &Arc<dyn Objects>,
    newest: &Manifest,
    progress: &mut (impl FnMut(u64, u64) + Send),
) -> Result<Verified> {
    let mut verified = Verified::default();
    let mut files: BTreeMap<_, RunFile> = newest.files().map(|file| (file.id, file.clone())).collect();
    for &version in &newest.versions {
        let gone = || Error::missing(names::manifest(version));
        let manifest = read_manifest(&**objects, version).await?.ok_or_else(gone)?;
        files.extend(manifest.files().map(|file| (file.id, file.clone())));
        verified.versions += 1;
    }
    let total: u64 = files.values().map(|file| file.bytes).sum();
    let check = |file: RunFile| async move {
        let name = names::run(file.id);
        let bytes = objects.read(&name).await?.ok_or_else(|| Error::missing(&name))?;
        run_file::check(&file, &bytes)?;
        Ok::<_, Error>(file.bytes)
    };
    let mut checked = stream::iter(files.into_values()).map(check).buffer_unordered(AT_A_TIME);
    while let Some(bytes) = checked.try_next().await? {
        verified.files += 1;
        verified.bytes += bytes;
        progress(verified.bytes, total);
    }
    verify_log(objects, newest, &mut verified).await?;
    Ok(verified)
}

async fn verify_log(objects: &Arc<dyn Objects>, newest: &Manifest, verified: &mut Verified) -> Result<()> {
    let mut walk = Walk::of_reader(objects, newest, AT_A_TIME);
    while let Some((_, record)) = walk.next().await? {
        verified.records += 1;
        verified.bytes += record.payload.len() as u64;
        let parts = record.batches().iter().filter_map(|batch| match &batch.place {
            Place::Parts(parts) => Some(parts),
            Place::Here(_) => None,
        });
        for (_, bytes) in read_parts(objects, &parts.flatten().cloned().collect::<Vec<_>>()).await? {
            verified.parts += 1;
            verified.bytes += bytes.len() as u64;
        }
    }
    Ok(())
}
