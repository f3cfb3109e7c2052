//! The bytes that a backend has allocated and may allocate, its traffic, and injected failures.

use crate::error::{Error, Result};
use crate::memory::available;
use crate::pages::ask_for_large;
use crate::traffic::{Traffic, TrafficCounter};
use crate::value::Plain;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Counts the bytes of a backend's arrays, and refuses arrays that exceed the budget.
#[derive(Debug)]
pub struct Meter {
    in_use: AtomicU64,
    peak: AtomicU64,
    budget: AtomicU64,
    least_budget: AtomicU64,
    traffic: TrafficCounter,
    fuse: Fuse,
    poisons: AtomicBool,
}

impl Meter {
    /// Makes a meter that refuses allocations beyond `budget` bytes.
    pub fn new(budget: Option<u64>) -> Arc<Self> {
        let budget = budget.unwrap_or(u64::MAX);
        Arc::new(Self {
            in_use: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            budget: AtomicU64::new(budget),
            least_budget: AtomicU64::new(budget),
            traffic: TrafficCounter::default(),
            fuse: Fuse::default(),
            poisons: AtomicBool::new(false),
        })
    }

    /// The bytes of all existing arrays.
    pub fn in_use(&self) -> u64 {
        self.in_use.load(Relaxed)
    }

    /// The most bytes in use at any time.
    pub fn peak(&self) -> u64 {
        self.peak.load(Relaxed)
    }

    /// Restarts the peak from the bytes in use now, for tests of what a call needs.
    pub fn forget_peak(&self) {
        self.peak.store(self.in_use(), Relaxed);
    }

    /// The most bytes that may be in use; `u64::MAX` if there is no limit.
    pub fn budget(&self) -> u64 {
        self.budget.load(Relaxed)
    }

    /// Sets the most bytes that may be in use from now on.
    pub fn set_budget(&self, budget: Option<u64>) {
        let budget = budget.unwrap_or(u64::MAX);
        self.budget.store(budget, Relaxed);
        self.least_budget.fetch_min(budget, Relaxed);
    }

    /// The least budget that was ever in force, for tests of what queries in other threads may meet.
    pub fn least_budget(&self) -> u64 {
        self.least_budget.load(Relaxed)
    }

    /// The copies, waits and launches so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic.so_far()
    }

    pub(crate) fn traffic_counter(&self) -> &TrafficCounter {
        &self.traffic
    }

    /// The hook that makes a later call fail.
    pub fn fuse(&self) -> &Fuse {
        &self.fuse
    }

    /// From now on, fills every array of undefined content with garbage, so that a test notices reads of unwritten
    /// memory.
    pub fn poison_memory(&self) {
        self.poisons.store(true, Relaxed);
    }

    /// The byte that fills memory of undefined content, if a test asked for it.
    pub(crate) fn poison(&self) -> Option<u8> {
        self.poisons.load(Relaxed).then_some(0xA5)
    }

    /// Counts an array of `bytes` until the lease is dropped.
    ///
    /// # Errors
    /// [`Error::OverBudget`] if it would exceed the budget.
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

    /// Counts host memory that a call will return, until the lease is dropped. Refuses it before it is allocated.
    ///
    /// # Errors
    /// [`Error::OverBudget`] if it would exceed the budget, [`Error::OutOfMemory`] if the system has less memory left.
    pub fn returned(self: &Arc<Self>, bytes: u64) -> Result<Lease> {
        check_system(bytes)?;
        self.lease(bytes)
    }

    /// An empty vector with room for `len` elements: host memory that a call needs beside its arrays.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if memory runs out.
    pub fn vector<T>(&self, len: usize) -> Result<Vec<T>> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        self.check_fuse(bytes)?;
        check_system(bytes)?;
        let mut vector = Vec::new();
        vector.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { bytes })?;
        ask_for_large(&vector);
        Ok(vector)
    }

    /// `len` zeros. The system clears the memory on first touch, so the threads that write it clear it.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if memory runs out.
    pub(crate) fn zeros<T: Plain>(&self, len: usize) -> Result<Vec<T>> {
        self.check_fuse((len as u64).saturating_mul(size_of::<T>() as u64))?;
        zeros(len)
    }

    /// Fails an allocation if a test asked for it.
    fn check_fuse(&self, bytes: u64) -> Result<()> {
        if !self.fuse.loses_device() && self.fuse.burns() {
            Err(Error::OutOfMemory { bytes })
        } else {
            Ok(())
        }
    }
}

/// `len` zeros that no meter knows of.
pub(crate) fn zeros<T: Plain>(len: usize) -> Result<Vec<T>> {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    check_system(bytes)?;
    let zeros = bytemuck::allocation::try_zeroed_vec(len).map_err(|()| Error::OutOfMemory { bytes })?;
    ask_for_large(&zeros);
    Ok(zeros)
}

/// Allocations of at least this many bytes are compared with the memory that the system has left, because systems promise
/// memory that they do not have. For smaller ones the question, some microseconds, is not worth it.
const ASKED_FROM: u64 = 64 << 20;

/// Refuses an allocation that exceeds the system's available memory.
fn check_system(bytes: u64) -> Result<()> {
    if bytes >= ASKED_FROM && available().is_some_and(|available| bytes > available) {
        return Err(Error::OutOfMemory { bytes });
    }
    Ok(())
}

/// The bytes of an array on the meter, given back on drop.
#[derive(Debug)]
pub struct Lease {
    bytes: u64,
    meter: Arc<Meter>,
}

impl Lease {
    /// The number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.meter.in_use.fetch_sub(self.bytes, Relaxed);
    }
}

/// Fails the k-th allocation, launch or read-back from now, once. Tests use it to show that an update applies whole or
/// not at all.
#[derive(Debug, Default)]
pub struct Fuse {
    calls_left: AtomicU64,
    loses_device: AtomicBool,
}

impl Fuse {
    /// Makes the `k`-th call from now fail, counted from 1; 0 disarms the fuse.
    pub fn fail_at(&self, k: u64) {
        self.loses_device.store(false, Relaxed);
        self.calls_left.store(k, Relaxed);
    }

    /// Makes the `k`-th launch or read-back from now behave as if it had lost the GPU.
    pub fn lose_device_at(&self, k: u64) {
        self.loses_device.store(true, Relaxed);
        self.calls_left.store(k, Relaxed);
    }

    /// Whether a failure is still pending.
    pub fn is_armed(&self) -> bool {
        self.calls_left.load(Relaxed) > 0
    }

    /// Whether the pending failure is the loss of the device.
    pub fn loses_device(&self) -> bool {
        self.loses_device.load(Relaxed)
    }

    /// Counts one call. Returns true if this call is to fail.
    pub(crate) fn burns(&self) -> bool {
        if !self.is_armed() {
            return false;
        }
        self.calls_left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)) == Ok(1)
    }
}
