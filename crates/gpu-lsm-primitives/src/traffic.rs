//! Traffic: what a backend's calls cost in copies, waits and launches.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The traffic of a backend's calls so far: the operations that are expensive on a device. On the host, only copies are
/// counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Traffic {
    /// Bytes copied to the device.
    pub uploaded: u64,
    /// Bytes copied to the host.
    pub downloaded: u64,
    /// The number of waits for the device.
    pub waits: u64,
    /// The number of kernel launches.
    pub launches: u64,
    /// Bytes that these kernels read and write, as computed at each launch: the buffers that they stream through, and a
    /// sector of 32 bytes for each step of a search. What a GPU's memory really moves depends on the caches and on how
    /// accesses of neighbouring units coincide, which this leaves out.
    pub moved: u64,
}

impl Traffic {
    /// The traffic since an earlier moment.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            uploaded: self.uploaded - before.uploaded,
            downloaded: self.downloaded - before.downloaded,
            waits: self.waits - before.waits,
            launches: self.launches - before.launches,
            moved: self.moved - before.moved,
        }
    }
}

/// Counts traffic, from all threads.
#[derive(Debug, Default)]
pub(crate) struct TrafficCounter {
    uploaded: AtomicU64,
    downloaded: AtomicU64,
    waits: AtomicU64,
    launches: AtomicU64,
    moved: AtomicU64,
}

impl TrafficCounter {
    /// The traffic so far.
    pub(crate) fn so_far(&self) -> Traffic {
        Traffic {
            uploaded: self.uploaded.load(Relaxed),
            downloaded: self.downloaded.load(Relaxed),
            waits: self.waits.load(Relaxed),
            launches: self.launches.load(Relaxed),
            moved: self.moved.load(Relaxed),
        }
    }

    pub(crate) fn add_uploaded(&self, bytes: u64) {
        self.uploaded.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn add_downloaded(&self, bytes: u64) {
        self.downloaded.fetch_add(bytes, Relaxed);
    }

    #[cfg(feature = "gpu")]
    pub(crate) fn add_wait(&self) {
        self.waits.fetch_add(1, Relaxed);
    }

    #[cfg(feature = "gpu")]
    pub(crate) fn add_launch(&self, moved: u64) {
        self.launches.fetch_add(1, Relaxed);
        self.moved.fetch_add(moved, Relaxed);
    }
}
