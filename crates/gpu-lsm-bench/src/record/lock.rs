//! Allows only one bench at a time to write to a device's results.
//!
//! Otherwise, two benches with the same command would both resume the same run, and its samples would be there twice.

use crate::error::{Error, Result};
use std::fs::{self, File, TryLockError};
use std::path::Path;

/// The locked file. It is not deleted with the lock: if it were, two benches could lock different files of the same
/// name.
pub const FILE: &str = "lock";

/// The right to write to a folder, until it is dropped. The operating system holds the lock, so a killed bench leaves
/// none.
#[derive(Debug)]
pub(crate) struct Lock {
    _held: File,
}

impl Lock {
    /// Takes the lock, without waiting for it.
    ///
    /// # Errors
    /// [`Error::Busy`] if another bench holds it; also if the file cannot be created or locked.
    pub(crate) fn take(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(Error::file(folder))?;
        let path = folder.join(FILE);
        let file = File::create(&path).map_err(Error::file(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _held: file }),
            Err(TryLockError::WouldBlock) => Err(Error::Busy { folder: folder.to_owned() }),
            Err(TryLockError::Error(error)) => Err(Error::file(&path)(error)),
        }
    }
}
