//! Temporary folders.

use crate::error::{Error, Result};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is deleted when it is dropped. We use our own type because the usual crate would change features of
/// the engine's dependencies.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// An empty folder with a unique path.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn new(name: &str) -> Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("gpu-lsm-{name}-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).map_err(Error::file(&path))?;
        Ok(Self(path))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            // It can't be told to anybody if the standard error is closed.
            let _ = writeln!(std::io::stderr(), "{} stays: {error}", self.0.display());
        }
    }
}
