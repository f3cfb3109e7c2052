//! What a backend has allocated, what it may allocate, and failures on purpose.

use crate::error::{Error, Result};
use crate::pages::{ask_for_large, available};
use crate::value::Plain;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Counts the bytes of all arrays of one backend, and refuses those over a budget.
#[derive(Debug)]
pub struct Meter {
    in_use: AtomicU64,
    peak: AtomicU64,
    budget: AtomicU64,
    traffic: Traffic,
    fuse: Fuse,
    poisons: AtomicBool,
}

/// What a backend's calls have cost so far, in ways that a device makes dear.
#[derive(Debug, Default)]
pub struct Traffic {
    uploaded: AtomicU64,
    downloaded: AtomicU64,
    waits: AtomicU64,
    launches: AtomicU64,
    moved: AtomicU64,
}

impl Traffic {
    /// Bytes copied to the device.
    pub fn uploaded(&self) -> u64 {
        self.uploaded.load(Relaxed)
    }

    /// Bytes copied to the host.
    pub fn downloaded(&self) -> u64 {
        self.downloaded.load(Relaxed)
    }

    /// How often the host waited for the device.
    pub fn waits(&self) -> u64 {
        self.waits.load(Relaxed)
    }

    /// Kernels launched.
    pub fn launches(&self) -> u64 {
        self.launches.load(Relaxed)
    }

    /// Bytes that the kernels launched so far read and write, as their launches tell. Zero on the host.
    pub fn moved(&self) -> u64 {
        self.moved.load(Relaxed)
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

impl Meter {
    /// A meter that refuses allocations past `budget` bytes.
    pub fn new(budget: Option<u64>) -> Arc<Self> {
        Arc::new(Self {
            in_use: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            budget: AtomicU64::new(budget.unwrap_or(u64::MAX)),
            traffic: Traffic::default(),
            fuse: Fuse::default(),
            poisons: AtomicBool::new(false),
        })
    }

    /// Bytes of the arrays that exist now.
    pub fn in_use(&self) -> u64 {
        self.in_use.load(Relaxed)
    }

    /// The most bytes that were in use at once.
    pub fn peak(&self) -> u64 {
        self.peak.load(Relaxed)
    }

    /// Counts the most bytes in use from now on: for tests of what a call costs.
    pub fn forget_peak(&self) {
        self.peak.store(self.in_use(), Relaxed);
    }

    /// The most bytes that may be in use; the largest number where there is no limit.
    pub fn budget(&self) -> u64 {
        self.budget.load(Relaxed)
    }

    /// Sets the most bytes that may be in use from now on.
    pub fn set_budget(&self, budget: Option<u64>) {
        self.budget.store(budget.unwrap_or(u64::MAX), Relaxed);
    }

    /// Copies, waits and launches so far.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The hook that makes a later allocation or launch fail.
    pub fn fuse(&self) -> &Fuse {
        &self.fuse
    }

    /// Fills every array of no defined content from now on, so that a test sees what was never written.
    pub fn poison_memory(&self) {
        self.poisons.store(true, Relaxed);
    }

    /// The byte that memory of no defined content is filled with, where a test asked for it.
    pub(crate) fn poison(&self) -> Option<u8> {
        self.poisons.load(Relaxed).then_some(0xA5)
    }

    /// Accounts for an array of `bytes` until the lease is dropped.
    ///
    /// # Errors
    /// [`Error::OverBudget`] where the budget does not allow it.
    pub fn lease(self: &Arc<Self>, bytes: u64) -> Result<Lease> {
        self.check_fuse(bytes)?;
        let budget = self.budget();
        let within_budget = |in_use: u64| in_use.checked_add(bytes).filter(|&sum| sum <= budget);
        match self.in_use.fetch_update(Relaxed, Relaxed, within_budget) {
            Ok(before) => {
                self.peak.fetch_max(before + bytes, Relaxed);
                Ok(Lease { bytes, meter: Arc::clone(self) })
            }
            Err(in_use) => Err(Error::OverBudget { needed: bytes, in_use, budget }),
        }
    }

    /// Accounts, while a call makes it, for memory of the host that it will return: refused before it is allocated.
    ///
    /// # Errors
    /// [`Error::OverBudget`] where the budget does not allow it, [`Error::OutOfMemory`] where the system has less left.
    pub fn returned(self: &Arc<Self>, bytes: u64) -> Result<Lease> {
        check_system(bytes)?;
        self.lease(bytes)
    }

    /// An empty vector with room for `len` elements: memory of the host that a call needs besides its arrays.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] where there is no room.
    pub fn vector<T>(&self, len: usize) -> Result<Vec<T>> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        self.check_fuse(bytes)?;
        check_system(bytes)?;
        let mut vector = Vec::new();
        vector.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { bytes })?;
        ask_for_large(&vector);
        Ok(vector)
    }

    /// As many zeros, of memory that the system clears when it is first touched: by the threads that write it.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] where there is no room.
    pub(crate) fn zeros<T: Plain>(&self, len: usize) -> Result<Vec<T>> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        self.check_fuse(bytes)?;
        check_system(bytes)?;
        let zeros = bytemuck::allocation::try_zeroed_vec(len).map_err(|()| Error::OutOfMemory { bytes })?;
        ask_for_large(&zeros);
        Ok(zeros)
    }

    /// Fails an allocation where a test asked for it.
    fn check_fuse(&self, bytes: u64) -> Result<()> {
        if !self.fuse.loses_device() && self.fuse.burns() {
            Err(Error::OutOfMemory { bytes })
        } else {
            Ok(())
        }
    }
}

/// From how many bytes on the system is asked whether it has as many: asking costs some microseconds, and systems promise
/// memory that they do not have.
const ASKED_FROM: u64 = 64 << 20;

/// Refuses what the system has no memory for.
fn check_system(bytes: u64) -> Result<()> {
    if bytes >= ASKED_FROM && available().is_some_and(|available| bytes > available) {
        return Err(Error::OutOfMemory { bytes });
    }
    Ok(())
}

/// Bytes that an array occupies, given back when dropped.
#[derive(Debug)]
pub struct Lease {
    bytes: u64,
    meter: Arc<Meter>,
}

impl Lease {
    /// How many bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.meter.in_use.fetch_sub(self.bytes, Relaxed);
    }
}

/// Fails the k-th allocation, launch or read-back from now, once: the proof that an update applies whole or not at all.
#[derive(Debug, Default)]
pub struct Fuse {
    calls_left: AtomicU64,
    loses_device: AtomicBool,
}

impl Fuse {
    /// Makes the `k`-th call from now fail, counted from 1; 0 disarms.
    pub fn fail_at(&self, k: u64) {
        self.loses_device.store(false, Relaxed);
        self.calls_left.store(k, Relaxed);
    }

    /// Makes the `k`-th launch or read-back from now behave as if the GPU was lost in it.
    pub fn lose_device_at(&self, k: u64) {
        self.loses_device.store(true, Relaxed);
        self.calls_left.store(k, Relaxed);
    }

    /// Whether a failure is still to come.
    pub fn is_armed(&self) -> bool {
        self.calls_left.load(Relaxed) > 0
    }

    /// Whether the failure, when it comes, is the loss of the device.
    pub fn loses_device(&self) -> bool {
        self.loses_device.load(Relaxed)
    }

    /// Counts one call; true where this is the one to fail.
    pub(crate) fn burns(&self) -> bool {
        if !self.is_armed() {
            return false;
        }
        self.calls_left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)) == Ok(1)
    }
}
