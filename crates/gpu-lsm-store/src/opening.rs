//! Becoming the writer of a dictionary.
//!
//! What can fail is done before the epoch is taken: the manifest, the runs and the log are read, and the dictionary is made, within
//! its budget and on its device. So an opening that fails leaves a writer that runs alone.

use crate::error::Result;
use crate::kept::Kept;
use crate::load::{Loaded, check};
use crate::manifest::Manifest;
use crate::nonce::Nonces;
use crate::objects::Objects;
use crate::protocol::{Claim, Fence, Leader, Opener, Template};
use crate::types::Types;
use gpu_lsm::Config;
use std::sync::Arc;

/// How often an opener reads before it takes the epoch, if another writer publishes meanwhile. After that it takes the epoch first:
/// somebody who publishes all the time could otherwise never be replaced.
const MOST_READS: u32 = 3;

/// Takes over a store, or makes one. Returns the writer and the state that it goes on from.
pub(crate) async fn take_over<D: Kept>(
    objects: &Arc<dyn Objects>,
    types: &Types,
    home: &D::Home,
    config: Config,
) -> Result<(Leader, Loaded<D>)> {
    let batch_size = D::smallest_level(home, config)? as u64;
    let new = Template { key: types.key.clone(), value: types.value.clone(), batch_size };
    let mut opener = Opener::new(objects, Nonces::random(), Some(new));
    let accept = |manifest: &Manifest| check::<D>(types, manifest);
    for _ in 0..MOST_READS {
        let base = opener.base().await?;
        accept(&base)?;
        let loaded = Loaded::read(objects, &base, home, config).await;
        if loaded.as_ref().is_err_and(|error| !error.is_missing()) {
            return Err(loaded.err().expect("it failed"));
        }
        // What is missing may have been collected.
        if !opener.is_newest(&base).await? {
            continue;
        }
        let loaded = loaded?;
        if let Some(claim) = opener.take(base).await? {
            return lead(claim, loaded).await;
        }
    }
    let claim = opener.take_newest(accept).await?;
    match Loaded::read(objects, claim.manifest(), home, config).await {
        Ok(loaded) => lead(claim, loaded).await,
        Err(error) => Err(claim.explain(error).await),
    }
}

/// Fences off earlier writers, where the log ends by now.
async fn lead<D: Kept>(claim: Claim, loaded: Loaded<D>) -> Result<(Leader, Loaded<D>)> {
    match fence(&claim, loaded).await {
        Ok((fence, loaded)) => Ok((claim.lead(&fence, &loaded.walk), loaded)),
        Err(error) => Err(claim.explain(error).await),
    }
}

async fn fence<D: Kept>(claim: &Claim, mut loaded: Loaded<D>) -> Result<(Fence, Loaded<D>)> {
    loaded.walk = claim.go_on(loaded.walk)?;
    loop {
        loaded = loaded.go_on(claim.objects()).await?;
        if let Some(fence) = claim.fence(loaded.walk.position()).await? {
            return Ok((fence, loaded));
        }
    }
}
