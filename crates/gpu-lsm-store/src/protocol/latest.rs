//! The newest manifest.

use crate::error::Result;
use crate::manifest::Manifest;
use crate::names;
use crate::objects::{Listed, Objects};

/// The manifest with the highest number; `None` if there is no store.
///
/// # Errors
/// If the place fails or the manifest is damaged.
pub async fn latest(objects: &dyn Objects) -> Result<Option<Manifest>> {
    loop {
        let Some(number) = highest_after(objects, None).await? else { return Ok(None) };
        // It may have been collected in the meantime. Then there is a newer one.
        if let Some(manifest) = read_manifest(objects, number).await? {
            return Ok(Some(manifest));
        }
    }
}

/// The manifest of this number, if there is one.
///
/// # Errors
/// If the place fails or the manifest is damaged.
pub async fn read_manifest(objects: &dyn Objects, number: u64) -> Result<Option<Manifest>> {
    let bytes = objects.read(&names::manifest(number)).await?;
    bytes.map(|bytes| Manifest::decode(number, &bytes)).transpose()
}

/// Whether nothing has been collected yet of a manifest's runs, or of the log from where it ends. A reader that met the end of
/// the log, or a missing run, asks this afterwards: if not, it starts again from the newest manifest.
///
/// # Errors
/// If the place fails or the newest manifest is damaged.
pub async fn is_current(objects: &dyn Objects, manifest: &Manifest) -> Result<bool> {
    is_retained(objects, manifest, manifest.number).await
}

/// As [`is_current`], also of the versions that the manifest names.
///
/// # Errors
/// Those of [`is_current`].
pub async fn is_current_with_versions(objects: &dyn Objects, manifest: &Manifest) -> Result<bool> {
    is_retained(objects, manifest, manifest.versions.first().map_or(manifest.number, |&oldest| oldest)).await
}

async fn is_retained(objects: &dyn Objects, manifest: &Manifest, oldest: u64) -> Result<bool> {
    let is_retained = |newest: Manifest| {
        let boundary = newest.boundary;
        // Nothing is collected before a later manifest says so.
        newest.number == manifest.number
            || boundary.log <= manifest.log.position && boundary.manifest <= oldest
    };
    Ok(latest(objects).await?.is_some_and(is_retained))
}

/// The highest number of a manifest, if there is one above the given one.
pub(super) async fn highest_after(objects: &dyn Objects, after: Option<u64>) -> Result<Option<u64>> {
    let listed = listed_after(objects, after).await?;
    Ok(listed.iter().filter_map(|listed| names::number(&listed.name)).max())
}

/// The manifests above this one, or all of them, in ascending order.
pub(super) async fn listed_after(objects: &dyn Objects, after: Option<u64>) -> Result<Vec<Listed>> {
    let after = after.map_or(String::new(), names::manifest);
    objects.list(names::MANIFESTS, &after).await
}

/// The highest epoch above a manifest's number. That manifest's writer has been replaced if there is one.
pub(super) async fn replaced_by(objects: &dyn Objects, manifest: &Manifest) -> Result<Option<u64>> {
    loop {
        let Some(number) = highest_after(objects, Some(manifest.number)).await? else { return Ok(None) };
        // If it is gone, it was a version, and what took its writer's epoch is still there.
        if let Some(newest) = read_manifest(objects, number).await? {
            return Ok(Some(newest.epoch));
        }
    }
}
