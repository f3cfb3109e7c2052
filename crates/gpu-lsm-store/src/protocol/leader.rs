//! The writer of a store.

use crate::error::{Error, Result};
use crate::manifest::Manifest;
use crate::names::{self, FileId};
use crate::nonce::Nonces;
use crate::objects::Objects;
use crate::record::Record;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most log records that a writer may have in flight at a time.
///
/// A writer that was replaced can therefore still create records only up to this many numbers behind the fence that
/// replaced it. For so long, its successor sends one record at a time, because each number may turn out to be taken.
pub const MOST_IN_FLIGHT: u64 = 32;

/// A writer that has the store's highest epoch, as far as it knows.
#[derive(Debug)]
pub struct Leader {
    pub(super) objects: Arc<dyn Objects>,
    pub(super) nonces: Nonces,
    /// The manifest that this writer published last.
    pub(super) manifest: Manifest,
    /// Where this writer's fence is.
    pub(super) fence: u64,
    /// The number of the next record.
    pub(super) next: u64,
    /// The fences from the boundary on, and some before it, this writer's included, and the void records that it passed before.
    pub(super) fences: Vec<u64>,
    pub(super) ids: FileIds,
    /// The most records in flight; [`MOST_IN_FLIGHT`] except in simulations.
    pub(super) window: u64,
}

impl Leader {
    /// The epoch.
    pub fn epoch(&self) -> u64 {
        self.manifest.epoch
    }

    /// The manifest that this writer published last.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The number of the next record.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Whether a record may be sent while others are in flight, of which the first has this number.
    pub fn may_send_beside(&self, first_in_flight: u64) -> bool {
        first_in_flight > self.fence + self.window && self.next - first_in_flight < self.window
    }

    /// Whether a record is this writer's, of its present epoch.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if it is of this epoch and somebody else's. Nobody else can have taken the epoch, unless the manifest
    /// that took it is lost.
    pub fn wrote(&self, number: u64, record: &Record) -> Result<bool> {
        match record.header.epoch == self.epoch() {
            true if !self.nonces.gave(record.header.nonce) => Err(same_epoch(names::record(number))),
            is_own => Ok(is_own),
        }
    }

    /// The same writer with a smaller window than [`MOST_IN_FLIGHT`]: for simulations, in which all writers must have it.
    pub fn with_window(self, window: u64) -> Self {
        Self { window, ..self }
    }

    /// The place of the store.
    pub fn objects(&self) -> &Arc<dyn Objects> {
        &self.objects
    }

    /// The source of identities for files of this epoch.
    pub fn ids(&self) -> &FileIds {
        &self.ids
    }
}

/// The error if an object is of a writer's own epoch, and not its own.
pub(super) fn same_epoch(name: String) -> Error {
    Error::corrupt(name, "two writers have the same epoch")
}

/// A source of identities for the files of one epoch. Clones are the same source.
#[derive(Debug, Clone)]
pub struct FileIds {
    epoch: u64,
    next: Arc<AtomicU64>,
}

impl FileIds {
    pub(super) fn new(epoch: u64) -> Self {
        Self { epoch, next: Arc::new(AtomicU64::new(1)) }
    }

    /// An identity that no other file has.
    pub fn next(&self) -> FileId {
        FileId { epoch: self.epoch, number: self.next.fetch_add(1, Ordering::Relaxed) }
    }
}
