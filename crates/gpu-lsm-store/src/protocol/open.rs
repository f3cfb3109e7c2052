//! Taking an epoch. An opener first reads the newest state, which changes nothing and may fail, and takes the epoch only if
//! that state is still the newest.

use super::claim::Claim;
use super::latest::{highest_after, latest, read_manifest, replaced_by};
use crate::error::{Error, Result};
use crate::manifest::{Boundary, FORMAT, Kind, LogState, Manifest, Shard};
use crate::names;
use crate::nonce::Nonces;
use crate::objects::Objects;
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

/// Somebody who is about to become the writer, and has changed nothing yet.
#[derive(Debug)]
pub struct Opener {
    objects: Arc<dyn Objects>,
    nonces: Nonces,
    new: Option<Template>,
    /// The highest epoch that it has tried to take.
    epoch: u64,
}

impl Opener {
    /// An opener of the store. If there is none, it makes one if a template is given.
    pub fn new(objects: &Arc<dyn Objects>, nonces: Nonces, new: Option<Template>) -> Self {
        Self { objects: Arc::clone(objects), nonces, new, epoch: 0 }
    }

    /// The newest manifest, or the state before a store's first.
    ///
    /// # Errors
    /// [`Error::NoStore`]; or if the place fails or the manifest is damaged.
    pub async fn base(&self) -> Result<Manifest> {
        match (latest(&*self.objects).await?, &self.new) {
            (Some(base), _) => Ok(base),
            (None, Some(new)) => Ok(before_the_first(new)),
            (None, None) => Err(Error::NoStore { url: self.objects.describe() }),
        }
    }

    /// Whether a manifest is still the newest. Then nothing was collected that was read of it, or of the log behind it.
    ///
    /// # Errors
    /// If the place fails.
    pub async fn is_newest(&self, base: &Manifest) -> Result<bool> {
        Ok(highest_after(&*self.objects, Some(base.number)).await?.is_none())
    }

    /// Takes the next epoch, with the state of this manifest. Returns `None` if that is not the newest any more; then the
    /// opener begins again.
    ///
    /// # Errors
    /// [`Error::Fenced`] if somebody else took an epoch at the same time; or if the place fails.
    pub async fn take(&mut self, base: Manifest) -> Result<Option<Claim>> {
        // Each attempt has an epoch of its own: one that was not the newest any more may have left a manifest.
        self.epoch = base.epoch.max(self.epoch) + 1;
        let (number, epoch, nonce) = (base.number + 1, self.epoch, self.nonces.next());
        let manifest = Manifest { number, nonce, epoch, kind: Kind::Epoch, ..base };
        let is_taken = take_number(&*self.objects, &self.nonces, &manifest).await?;
        Ok(is_taken.then(|| Claim::of(&self.objects, self.nonces.clone(), manifest)))
    }

    /// Takes the next epoch, whatever the newest state is by then. `accept` may refuse it before anything is changed.
    ///
    /// # Errors
    /// Those of [`base`](Self::base) and [`take`](Self::take); and what `accept` returns.
    pub async fn take_newest(mut self, accept: impl Fn(&Manifest) -> Result<()>) -> Result<Claim> {
        for _ in 0..MOST_TRIES {
            let base = self.base().await?;
            accept(&base)?;
            if let Some(claim) = self.take(base).await? {
                return Ok(claim);
            }
        }
        Err(Error::vanished(names::MANIFESTS))
    }
}

impl Claim {
    /// Takes the next epoch of the store, or makes a store if there is none and a template is given. `accept` may refuse
    /// the store before anything is changed.
    ///
    /// # Errors
    /// Those of [`Opener::take_newest`].
    pub async fn take(
        objects: &Arc<dyn Objects>,
        nonces: Nonces,
        new: Option<&Template>,
        accept: impl Fn(&Manifest) -> Result<()>,
    ) -> Result<Self> {
        Opener::new(objects, nonces, new.cloned()).take_newest(accept).await
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
