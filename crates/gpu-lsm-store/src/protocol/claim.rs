//! Becoming the writer, once an epoch is taken: reading the log, and fencing off earlier writers.

use super::latest::replaced_by;
use super::leader::{FileIds, Leader, MOST_IN_FLIGHT};
use super::walk::Walk;
use crate::error::{Error, Result};
use crate::manifest::{LogState, Manifest};
use crate::names::{self, FileId};
use crate::nonce::Nonces;
use crate::objects::Objects;
use crate::record::Record;
use std::sync::Arc;

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
    /// An epoch that this manifest took.
    pub(super) fn of(objects: &Arc<dyn Objects>, nonces: Nonces, manifest: Manifest) -> Self {
        Self { objects: Arc::clone(objects), nonces, manifest }
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

    /// Goes on with a walk that began where the manifest ends, before the epoch was taken.
    ///
    /// # Errors
    /// [`Error::Fenced`] if it has met a higher epoch.
    pub fn go_on(&self, walk: Walk) -> Result<Walk> {
        let (epoch, by) = (self.manifest.epoch, walk.epoch());
        if by > epoch { Err(Error::Fenced { epoch, by }) } else { Ok(walk.of_epoch(epoch)) }
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
