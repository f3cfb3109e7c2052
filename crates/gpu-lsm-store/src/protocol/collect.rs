//! Collection: deleting what no retained version needs.
//!
//! The boundary was published before. Epochs and fences are never deleted, nor are void records that a writer passed before it
//! fenced: a writer that comes back after any time meets them, and learns at the fence that it was replaced.

use super::latest::{latest, read_manifest, replaced_by};
use super::leader::Leader;
use crate::error::{Error, Result};
use crate::manifest::{Kind, Manifest};
use crate::names::{self, FileId};
use crate::objects::Objects;
use crate::record::Record;
use std::collections::HashSet;
use std::sync::Arc;

/// What a collection deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Collected {
    /// Manifests.
    pub manifests: u64,
    /// Log records.
    pub records: u64,
    /// Files of runs.
    pub runs: u64,
    /// Parts of batches.
    pub parts: u64,
    /// The bytes of runs and parts.
    pub bytes: u64,
}

impl std::ops::Add for Collected {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            manifests: self.manifests + other.manifests,
            records: self.records + other.records,
            runs: self.runs + other.runs,
            parts: self.parts + other.parts,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// A collection that is due after a version was published. It can run while the writer goes on.
#[derive(Debug)]
pub struct Collection {
    objects: Arc<dyn Objects>,
    /// The manifests before and after the boundary was advanced.
    before: Manifest,
    now: Manifest,
    /// Files from this one on may belong to a version that is not published yet.
    end: FileId,
}

impl Leader {
    /// What can be collected now that a version was published after the manifest `before`.
    pub fn collection(&self, before: Manifest) -> Collection {
        let (objects, now) = (Arc::clone(&self.objects), self.manifest.clone());
        Collection { objects, before, now, end: self.ids.next() }
    }
}

/// Deletes what the advanced boundary released.
///
/// # Errors
/// [`Error::Fenced`] if a higher epoch exists; or if the place fails. What is left then is collected by [`sweep`].
pub async fn collect(collection: &Collection) -> Result<Collected> {
    let Collection { objects, before, now, .. } = collection;
    let mut collected = Collected::default();
    collection.check().await?;
    for version in before.versions.iter().filter(|version| !now.versions.contains(version)) {
        objects.delete(&names::manifest(*version)).await?;
        collected.manifests += 1;
    }
    collection.collect_runs(&mut collected).await?;
    for number in before.boundary.log..now.boundary.log {
        if !before.log.fences.contains(&number) && !now.log.fences.contains(&number) {
            objects.delete(&names::record(number)).await?;
            collected.records += 1;
        }
    }
    if now.boundary.log == before.log.position {
        collection.collect_parts(before.log.last_part, &mut collected).await?;
    }
    Ok(collected)
}

/// Deletes everything below the boundary, also what earlier collections left behind because they were interrupted.
/// Reads every manifest and record that it finds there.
///
/// # Errors
/// [`Error::Fenced`] if a higher epoch exists; or if the place fails or a version is damaged.
pub async fn sweep(collection: &Collection) -> Result<Collected> {
    let Collection { objects, now, .. } = collection;
    let mut collected = collect(collection).await?;
    for listed in objects.list(names::MANIFESTS, "").await? {
        let Some(number) = names::number(&listed.name).filter(|&number| number < now.boundary.manifest)
        else {
            continue;
        };
        let kind = read_manifest(&**objects, number).await?.map(|manifest| manifest.kind);
        if kind == Some(Kind::Version) && !now.versions.contains(&number) {
            objects.delete(&listed.name).await?;
            collected.manifests += 1;
        }
    }
    let mut fenced_by = 0;
    for listed in objects.list(names::LOG, "").await? {
        let Some(number) = names::number(&listed.name).filter(|&number| number < now.boundary.log) else {
            continue;
        };
        let Some(bytes) = objects.read(&listed.name).await? else { continue };
        let record = Record::decode(number, &bytes)?;
        let epoch = record.header.epoch;
        if record.is_fence() {
            fenced_by = epoch.max(fenced_by);
        } else if epoch >= fenced_by {
            objects.delete(&listed.name).await?;
            collected.records += 1;
        }
    }
    Ok(collected)
}

impl Collection {
    /// Fails if the writer was replaced.
    async fn check(&self) -> Result<()> {
        let epoch = self.now.epoch;
        match replaced_by(&*self.objects, &self.now).await? {
            Some(by) if by > epoch => Err(Error::Fenced { epoch, by }),
            _ => Ok(()),
        }
    }

    /// Deletes the files of runs that no retained version names. Files of later epochs are not this writer's.
    async fn collect_runs(&self, collected: &mut Collected) -> Result<()> {
        let mut named: HashSet<FileId> = self.now.files().map(|file| file.id).collect();
        for &version in self.now.versions.iter().filter(|&&version| version != self.now.number) {
            let Some(manifest) = read_manifest(&*self.objects, version).await? else {
                return self.check_dropped(version).await;
            };
            named.extend(manifest.files().map(|file| file.id));
        }
        for listed in self.objects.list(names::RUNS, "").await? {
            if names::file_id(&listed.name).is_some_and(|id| id < self.end && !named.contains(&id)) {
                self.objects.delete(&listed.name).await?;
                collected.runs += 1;
                collected.bytes += listed.bytes;
            }
        }
        Ok(())
    }

    /// Checks that a version which is gone was dropped by a later collection of the same writer. That one deletes its runs too.
    async fn check_dropped(&self, version: u64) -> Result<()> {
        let epoch = self.now.epoch;
        match latest(&*self.objects).await? {
            Some(newest) if newest.epoch > epoch => Err(Error::Fenced { epoch, by: newest.epoch }),
            Some(newest) if !newest.versions.contains(&version) => Ok(()),
            _ => Err(Error::missing(names::manifest(version))),
        }
    }

    /// Deletes parts up to the last one of the records that were deleted.
    async fn collect_parts(&self, last: Option<FileId>, collected: &mut Collected) -> Result<()> {
        let Some(last) = last else { return Ok(()) };
        for listed in self.objects.list(names::PARTS, "").await? {
            if names::file_id(&listed.name).is_some_and(|id| id <= last) {
                self.objects.delete(&listed.name).await?;
                collected.parts += 1;
                collected.bytes += listed.bytes;
            }
        }
        Ok(())
    }
}
