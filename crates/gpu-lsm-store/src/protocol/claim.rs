//! Becoming the writer: taking an epoch, reading the log, and fencing off earlier writers.

use super::latest::{latest, read_manifest, replaced_by};
use super::leader::{FileIds, Leader, MOST_IN_FLIGHT};
use super::walk::Walk;
use crate::error::{Error, Result};
use crate::manifest::{Boundary, FORMAT, Kind, LogState, Manifest, Shard};
use crate::names::{self, FileId};
use crate::nonce::Nonces;
use crate::objects::Objects;
use crate::record::Record;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often an opener begins again, because others publish and collect at the same time.
const MOST_TRIES: u32 = 100;

/// What a new store is made with.
#[derive(Debug, Clone)]
pub struct Template {
    /// The name of the key type.
    pub key: String,
    /// The name of the value type.
    pub value: String,
    /// The capacity of the smallest level.
    pub batch_size: u64,
}

/// An epoch that was taken by a manifest. Earlier writers may still write.
#[derive(Debug)]
pub struct Claim {
    objects: Arc<dyn Objects>,
    nonces: Nonces,
    manifest: Manifest,
}

/// A fence that exists. Earlier writers can write no more.
#[derive(Debug)]
pub struct Fence {
    number: u64,
}

impl Claim {
    /// Takes the next epoch of the store, or makes a store if there is none and a template is given. `accept` may refuse
    /// the store before anything is changed.
    ///
    /// # Errors
    /// [`Error::Fenced`] if somebody else took an epoch at the same time; [`Error::NoStore`]; what `accept` returns; or if
    /// the place fails.
    pub async fn take(
        objects: &Arc<dyn Objects>,
        nonces: Nonces,
        new: Option<&Template>,
        accept: impl Fn(&Manifest) -> Result<()>,
    ) -> Result<Self> {
        let mut epoch = 0;
        for _ in 0..MOST_TRIES {
            let base = match (latest(&**objects).await?, new) {
                (Some(base), _) => base,
                (None, Some(new)) => before_the_first(new),
                (None, None) => return Err(Error::NoStore { url: objects.describe() }),
            };
            accept(&base)?;
            epoch = base.epoch.max(epoch) + 1;
            let number = base.number + 1;
            let manifest = Manifest { number, nonce: nonces.next(), epoch, kind: Kind::Epoch, ..base };
            if take_number(&**objects, &nonces, &manifest).await? {
                return Ok(Self { objects: Arc::clone(objects), nonces, manifest });
            }
        }
        Err(Error::vanished(names::MANIFESTS))
    }

    /// The place of the store.
    pub fn objects(&self) -> &Arc<dyn Objects> {
        &self.objects
    }

    /// The manifest that took the epoch. Its state is that of the manifest before.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The log from where the manifest ends. Up to `ahead` records are read before they are asked for.
    pub fn walk(&self, ahead: usize) -> Walk {
        Walk::new(&self.objects, &self.manifest.log, ahead).of_epoch(self.manifest.epoch)
    }

    /// The log from a position on that lies behind the manifest's.
    pub fn walk_from(&self, log: &LogState) -> Walk {
        Walk::new(&self.objects, log, 0).of_epoch(self.manifest.epoch)
    }

    /// Fences off earlier writers at the number where the walk met the end of the log. Returns `None` if a record was created there in
    /// the meantime; then the walk goes on.
    ///
    /// # Errors
    /// [`Error::Fenced`] if a higher epoch exists; or if the place fails.
    pub async fn fence(&self, number: u64) -> Result<Option<Fence>> {
        let (epoch, nonce) = (self.manifest.epoch, self.nonces.next());
        let fence = Record::fence(epoch, nonce);
        if !self.objects.create(&names::record(number), fence.encode()).await? {
            let there = self.objects.read(&names::record(number)).await?;
            match there.map(|bytes| Record::decode(number, &bytes)).transpose()? {
                Some(record) if record.header.nonce == nonce => {}
                Some(_) => return Ok(None),
                // Only a higher epoch can have collected it.
                None => return Err(self.replaced_or(Error::vanished(&names::record(number))).await),
            }
        }
        // The number may have been free because it was used and collected. Then a higher epoch exists.
        match replaced_by(&*self.objects, &self.manifest).await? {
            Some(by) => Err(Error::Fenced { epoch, by }),
            None => Ok(Some(Fence { number })),
        }
    }

    /// The error of an opener that could not read what its manifest names. If it was replaced in the meantime, that may have
    /// been collected.
    pub async fn explain(&self, error: Error) -> Error {
        if error.is_missing() { self.replaced_or(error).await } else { error }
    }

    /// [`Error::Fenced`] if a higher epoch exists, and else the error given.
    async fn replaced_or(&self, error: Error) -> Error {
        let epoch = self.manifest.epoch;
        match replaced_by(&*self.objects, &self.manifest).await {
            Ok(Some(by)) if by > epoch => Error::Fenced { epoch, by },
            Ok(_) => error,
            Err(unavailable) => unavailable,
        }
    }

    /// Fences at the end of the log, whatever its records are. Returns the writer, and the last part that the log names.
    ///
    /// # Errors
    /// Those of [`Walk::next`] and [`fence`](Self::fence).
    pub async fn lead_from_end(self) -> Result<(Leader, Option<FileId>)> {
        let mut walk = self.walk(0);
        let fence = loop {
            while walk.next().await?.is_some() {}
            if let Some(fence) = self.fence(walk.position()).await? {
                break fence;
            }
        };
        let last_part = walk.state().last_part;
        Ok((self.lead(&fence, &walk), last_part))
    }

    /// The writer, now that its fence exists.
    pub fn lead(self, fence: &Fence, walk: &Walk) -> Leader {
        let Self { objects, nonces, manifest } = self;
        let mut fences = walk.state().fences;
        fences.push(fence.number);
        let ids = FileIds::new(manifest.epoch);
        Leader {
            objects,
            nonces,
            manifest,
            fence: fence.number,
            next: fence.number + 1,
            fences,
            ids,
            window: MOST_IN_FLIGHT,
        }
    }
}

impl Leader {
    /// Takes another epoch, because it is not known whether some record was created. It can be tried again if it fails.
    ///
    /// # Errors
    /// [`Error::Fenced`] if somebody else has taken an epoch; or if the place fails.
    pub async fn claim_again(&self) -> Result<Claim> {
        let epoch = self.epoch();
        let is_own = |newest: &Manifest| newest.epoch == epoch || self.nonces.gave(newest.nonce);
        let accept = |newest: &Manifest| {
            if is_own(newest) { Ok(()) } else { Err(Error::Fenced { epoch, by: newest.epoch }) }
        };
        Claim::take(&self.objects, self.nonces.clone(), None, accept).await
    }
}

/// Creates a manifest that takes an epoch. Returns `false` if another number must be tried.
async fn take_number(objects: &dyn Objects, nonces: &Nonces, manifest: &Manifest) -> Result<bool> {
    let (number, epoch) = (manifest.number, manifest.epoch);
    if !objects.create(&names::manifest(number), manifest.encode()).await? {
        match read_manifest(objects, number).await? {
            Some(there) if there.nonce == manifest.nonce => {}
            // An earlier attempt of this writer, which had seemed to fail.
            Some(there) if nonces.gave(there.nonce) => return Ok(false),
            Some(there) if there.epoch >= epoch => return Err(Error::Fenced { epoch, by: there.epoch }),
            // The writer that is being replaced has published its state, or even collected this number.
            Some(_) | None => return Ok(false),
        }
    }
    match replaced_by(objects, manifest).await? {
        None => Ok(true),
        Some(by) if by > epoch => Err(Error::Fenced { epoch, by }),
        // The number was free only because it was used and collected.
        Some(_) => Ok(false),
    }
}

/// The state before a store's first manifest.
fn before_the_first(new: &Template) -> Manifest {
    Manifest {
        format: FORMAT,
        number: 0,
        nonce: Nonces::of_writer(0).next(),
        epoch: 0,
        kind: Kind::Epoch,
        key: new.key.clone(),
        value: new.value.clone(),
        batch_size: new.batch_size,
        log: LogState { position: 1, epoch: 0, fences: Vec::new(), last_part: None },
        versions: Vec::new(),
        boundary: Boundary { manifest: 1, log: 1 },
        callers: BTreeMap::new(),
        shards: vec![Shard { from: 0, runs: Vec::new() }],
    }
}
