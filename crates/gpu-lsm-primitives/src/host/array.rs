//! Arrays on the host, and the only place that allocates them.

use super::threads::Threads;
use crate::backend::{Array, check_len};
use crate::error::Result;
use crate::meter::{Lease, Meter};
use crate::value::Plain;
use std::ops::Deref;
use std::sync::Arc;

/// The machine's own cores and memory.
#[derive(Debug, Clone)]
pub struct Host {
    meter: Arc<Meter>,
    largest: u64,
    threads: Threads,
}

impl Host {
    /// Makes a backend whose memory `meter` counts.
    pub fn new(meter: Arc<Meter>) -> Self {
        Self::with_arrays_of_at_most(u64::from(u32::MAX), meter)
    }

    /// The same with a lower limit on the length of arrays, for tests that exceed it.
    pub fn with_arrays_of_at_most(largest: u64, meter: Arc<Meter>) -> Self {
        Self { meter, largest: largest.min(u64::from(u32::MAX)), threads: Threads::SHARED }
    }

    /// The same on other threads.
    #[must_use]
    pub fn on(self, threads: Threads) -> Self {
        Self { threads, ..self }
    }

    /// The threads that it works on.
    pub fn threads(&self) -> &Threads {
        &self.threads
    }

    /// The most elements that an array can have.
    pub(super) fn largest(&self) -> u64 {
        self.largest
    }

    pub(super) fn account(&self) -> &Arc<Meter> {
        &self.meter
    }

    /// `len` zeros, to be written and then shared.
    pub(super) fn zeroed<T: Plain>(&self, len: usize) -> Result<Owned<T>> {
        check_len(self, len as u64, size_of::<T>())?;
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        let lease = self.meter.lease(bytes)?;
        Ok(Owned { data: self.meter.zeros(len)?, lease })
    }

    /// An array of elements that the caller has.
    pub(super) fn owned<T: Plain>(&self, mut data: Vec<T>) -> Result<Owned<T>> {
        check_len(self, data.len() as u64, size_of::<T>())?;
        let lease = self.meter.lease(size_of_val(&data[..]) as u64)?;
        // The budget counts elements, so there should be room for nothing else.
        data.shrink_to_fit();
        Ok(Owned { data, lease })
    }

    /// A copy of two slices, one after the other.
    pub(super) fn joined<T: Plain>(&self, first: &[T], second: &[T]) -> Result<HostArray<T>> {
        let mut both = self.zeroed(first.len() + second.len())?;
        let (before, after) = both.slice_mut().split_at_mut(first.len());
        before.copy_from_slice(first);
        after.copy_from_slice(second);
        Ok(both.share())
    }
}

/// An array that is not shared yet.
pub(super) struct Owned<T> {
    data: Vec<T>,
    lease: Lease,
}

impl<T: Plain> Owned<T> {
    pub(super) fn slice_mut(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// Makes the array immutable and shareable.
    pub(super) fn share(self) -> HostArray<T> {
        HostArray(Arc::new(self))
    }
}

/// An array on the host; clones share it.
pub struct HostArray<T>(Arc<Owned<T>>);

impl<T> Clone for HostArray<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Plain> HostArray<T> {
    /// The elements for writing, unless somebody shares the array.
    pub(super) fn get_mut(&mut self) -> Option<&mut [T]> {
        Some(&mut Arc::get_mut(&mut self.0)?.data)
    }
}

impl<T> Deref for HostArray<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0.data
    }
}

impl<T> Array for HostArray<T> {
    fn len(&self) -> usize {
        self.0.data.len()
    }

    fn bytes(&self) -> u64 {
        self.0.lease.bytes()
    }
}
