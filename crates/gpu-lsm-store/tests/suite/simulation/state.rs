//! The dictionary of the simulation: a list of numbers, in files and records.

use gpu_lsm_store::manifest::Manifest;
use gpu_lsm_store::names;
use gpu_lsm_store::{Checksum, Objects, Result};

/// The numbers of a manifest's runs.
pub(super) async fn load(objects: &dyn Objects, manifest: &Manifest) -> Result<Option<Vec<u32>>> {
    let mut state = Vec::new();
    for run in manifest.shards[0].runs.iter().rev() {
        for file in &run.files {
            let Some(bytes) = objects.read(&names::run(file.id)).await? else { return Ok(None) };
            assert_eq!(Checksum::of(&bytes), file.crc32c, "another file has this identity");
            state.extend(numbers(&bytes));
        }
    }
    Ok(Some(state))
}

pub(super) fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap()))
}
