//! Publishing versions.

use super::latest::{listed_after, read_manifest, replaced_by};
use super::leader::{Leader, same_epoch};
use crate::error::{Error, Result};
use crate::manifest::{Boundary, Kind, Last, LogState, Manifest, Shard};
use crate::names;
use std::collections::BTreeMap;
use std::time::Duration;

/// The most fences and void records below the boundary that a manifest names. By these a writer that was replaced learns which of
/// its records count.
const KEPT_FENCES: usize = 256;

/// Which versions stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// At least this many, and at least one.
    pub versions: usize,
    /// All that are not older than this, by the clock of the place.
    pub age: Duration,
}

/// A state of the dictionary, all of whose files exist.
#[derive(Debug, Clone)]
pub struct Version {
    /// The capacity of the smallest level.
    pub batch_size: u64,
    /// The part of the log that it contains.
    pub log: LogState,
    /// The last batch of each caller.
    pub callers: BTreeMap<String, Last>,
    /// The runs.
    pub shards: Vec<Shard>,
}

impl Leader {
    /// Publishes a state as the next manifest, with an advanced boundary: what is below it may be collected afterwards.
    ///
    /// # Errors
    /// [`Error::Fenced`] for good, if a higher epoch exists. After any other error it is not known whether the manifest exists,
    /// or will: the writer must [take another epoch](Leader::claim_again) before it publishes or collects anything.
    pub async fn publish(&mut self, version: &Version, retention: &Retention) -> Result<()> {
        let mut versions = self.retained(retention).await?;
        versions.push(self.manifest.number + 1);
        let Version { batch_size, log, callers, shards } = version.clone();
        self.create(Manifest { batch_size, log, callers, shards, versions, ..self.manifest.clone() }).await
    }

    /// Drops all but the last `kept` versions, and keeps at least one: publishes the same state again, which is no further version.
    ///
    /// # Errors
    /// Those of [`publish`](Self::publish).
    pub async fn drop_versions(&mut self, kept: usize) -> Result<()> {
        let kept = self.manifest.versions.len().min(kept.max(1));
        let versions = self.retained(&Retention { versions: kept + 1, age: Duration::ZERO }).await?;
        self.create(Manifest { versions, ..self.manifest.clone() }).await
    }

    /// Creates the next manifest, with this state and these versions.
    async fn create(&mut self, state: Manifest) -> Result<()> {
        let next = self.following(state);
        let (name, epoch) = (names::manifest(next.number), self.epoch());
        if !self.objects.create(&name, next.encode()).await? {
            match read_manifest(&*self.objects, next.number).await? {
                Some(there) if there.nonce == next.nonce => {}
                Some(there) if there.epoch > epoch => return Err(Error::Fenced { epoch, by: there.epoch }),
                Some(_) => return Err(same_epoch(name)),
                None => {
                    let by = replaced_by(&*self.objects, &self.manifest).await?.filter(|&by| by > epoch);
                    return Err(by.map_or_else(|| Error::vanished(&name), |by| Error::Fenced { epoch, by }));
                }
            }
        }
        forget(&mut self.fences, next.boundary.log);
        self.manifest = next;
        Ok(())
    }

    /// The next manifest, if it has this state and these versions.
    fn following(&self, state: Manifest) -> Manifest {
        let number = self.manifest.number + 1;
        let oldest = state.versions.first().map_or(number, |&oldest| oldest);
        // Readers may have started from the manifest before, so its log stays for now.
        let boundary = Boundary { manifest: oldest, log: self.manifest.log.position };
        let mut log = state.log.clone();
        forget(&mut log.fences, boundary.log);
        Manifest { number, nonce: self.nonces.next(), kind: Kind::Version, log, boundary, ..state }
    }

    /// The versions that stay beside a new one.
    async fn retained(&self, retention: &Retention) -> Result<Vec<u64>> {
        let versions = &self.manifest.versions;
        let too_many = versions.len().saturating_sub(retention.versions.saturating_sub(1));
        let Some(&oldest) = versions.first().filter(|_| too_many > 0) else { return Ok(versions.clone()) };
        let mut dropped = versions[..too_many].to_vec();
        if !retention.age.is_zero() {
            let listed = listed_after(&*self.objects, oldest.checked_sub(1)).await?;
            let newest = listed.iter().map(|manifest| manifest.modified).max();
            let is_old = |number: &u64| {
                let of = listed.iter().find(|manifest| names::number(&manifest.name) == Some(*number));
                let age = of.zip(newest).and_then(|(of, newest)| newest.duration_since(of.modified).ok());
                age.is_some_and(|age| age > retention.age)
            };
            // None is dropped behind one that stays: the boundary would not protect that.
            dropped.truncate(dropped.iter().take_while(|number| is_old(number)).count());
        }
        Ok(versions.iter().copied().filter(|version| !dropped.contains(version)).collect())
    }
}

/// Forgets fences below the boundary, but for the last ones.
fn forget(fences: &mut Vec<u64>, boundary: u64) {
    let below = fences.partition_point(|&fence| fence < boundary);
    fences.drain(..below.saturating_sub(KEPT_FENCES));
}
