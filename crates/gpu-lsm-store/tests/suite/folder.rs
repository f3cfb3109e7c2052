//! Folders of tests.

use std::path::PathBuf;

/// An empty folder for a test of this name.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gpu-lsm-store-{}-{name}", std::process::id()));
    drop(std::fs::remove_dir_all(&folder));
    folder
}
