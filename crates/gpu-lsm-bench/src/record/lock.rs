//! One bench at a time writes to a device's results.
//!
//! Two that were asked the same would take themselves for one run, and its samples would be there twice.

use crate::error::{Error, Result};
use std::fs::{self, File, TryLockError};
use std::path::Path;

/// The file that is locked. It stays when the lock goes: were it removed, two could lock files of the same name.
pub const FILE: &str = "lock";

/// The right to write to a folder, until it is dropped. The system holds it, so a bench that is killed leaves no lock.
#[derive(Debug)]
pub(crate) struct Lock {
    _held: File,
}

impl Lock {
    /// Takes the right, without waiting for it.
    ///
    /// # Errors
    /// [`Error::Busy`] where another bench has it, and where the file can't be made or locked.
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
