//! The interface of every measured structure.

use crate::error::{Error, Result};
use crate::record::measurement::Resident;
use gpu_lsm::Traffic;
use gpu_lsm_primitives::DeviceClock;

/// A dictionary from `u32` to `u32`, with columns on its device. Operations that it lacks return
/// [`Error::Unsupported`].
pub trait Structure {
    /// A column of numbers on the structure's device.
    type Column;
    /// Its name in records and tables.
    const NAME: &'static str;
    /// How to fill it with many batches if that is not measured.
    const GROWTH: Growth;

    /// Copies numbers to the device. Waits for it.
    ///
    /// # Errors
    /// If memory runs out.
    fn upload(&self, numbers: &[u32]) -> Result<Self::Column>;

    /// Copies the first `len` numbers to the host, or all if there are fewer. Waits for the device.
    ///
    /// # Errors
    /// If the device has failed.
    fn read(&self, column: &Self::Column, len: usize) -> Result<Vec<u32>>;

    /// Builds the structure from all its entries, which have distinct keys: the paper's bulk build. Need not wait.
    ///
    /// # Errors
    /// If memory runs out.
    fn build(&mut self, keys: &Self::Column, values: &Self::Column) -> Result<()>;

    /// Inserts entries and then deletes keys, as one batch: the paper's batch insertion, Table II. Need not wait.
    ///
    /// # Errors
    /// If memory runs out.
    fn update(&mut self, keys: &Self::Column, values: &Self::Column, deletes: &Self::Column) -> Result<()>;

    /// Moves a window: deletes its oldest entries, which are those of an interval, both bounds inclusive, and inserts
    /// others. What can't delete an interval deletes key by key. Need not wait.
    ///
    /// # Errors
    /// If memory runs out.
    fn slide(
        &mut self,
        keys: &Self::Column,
        values: &Self::Column,
        deletes: &Self::Column,
        oldest: Interval,
    ) -> Result<()> {
        let _ = oldest;
        self.update(keys, values, deletes)
    }

    /// Removes stale entries: the paper's cleanup. Need not wait.
    ///
    /// # Errors
    /// If memory runs out.
    fn cleanup(&mut self) -> Result<()> {
        Err(unsupported::<Self>("cleanup"))
    }

    /// Waits until all updates are done, if they did not wait themselves.
    ///
    /// # Errors
    /// If the device has failed.
    fn wait(&self) -> Result<()> {
        Ok(())
    }

    /// Looks up keys: Table III.
    ///
    /// # Errors
    /// If memory runs out.
    fn lookup(&self, keys: &Self::Column) -> Result<Found<Self::Column>>;

    /// Counts the entries of each interval, both bounds inclusive: Table IV, upper half.
    ///
    /// # Errors
    /// If memory runs out.
    fn count(&self, lower: &Self::Column, upper: &Self::Column) -> Result<Self::Column> {
        let _ = (lower, upper);
        Err(unsupported::<Self>("count"))
    }

    /// Finds the entries of each interval, both bounds inclusive, in ascending order: Table IV, lower half.
    ///
    /// # Errors
    /// If memory runs out.
    fn range(&self, lower: &Self::Column, upper: &Self::Column) -> Result<Entries<Self::Column>> {
        let _ = (lower, upper);
        Err(unsupported::<Self>("range"))
    }

    /// The entries and bytes that it holds. Does not wait.
    ///
    /// # Errors
    /// If a rival fails.
    fn resident(&self) -> Result<Resident>;

    /// Starts the device's own clock, if it has one. The clock runs until the returned function is called.
    fn device_clock(&self) -> Option<DeviceClock> {
        None
    }

    /// The total cost of its calls so far.
    fn traffic(&self) -> Traffic {
        Traffic::default()
    }
}

/// The size of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// The number of entries in a batch.
    pub b: usize,
    /// The most batches that will be inserted.
    pub batches: usize,
}

/// How a structure is filled with many batches if that is not measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// Batch by batch: its queries depend on the number of batches.
    ByBatches,
    /// In one build: its queries depend only on the number of entries.
    InBulk,
}

/// The answers to lookups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<C> {
    /// For each query, 1 if the key is present, else 0.
    pub found: C,
    /// For each query, the value; meaningless if the key is missing.
    pub values: C,
}

/// The entries that range queries found. Keys and values may be longer than the last offset says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entries<C> {
    /// For each query, and one past the last, the number of entries that all queries before it found.
    pub offsets: C,
    /// The keys.
    pub keys: C,
    /// Their values.
    pub values: C,
}

/// The error for a missing operation.
pub fn unsupported<S: Structure + ?Sized>(operation: &'static str) -> Error {
    Error::Unsupported { structure: S::NAME, operation }
}

/// A batch in host memory.
#[derive(Debug, Clone, Copy)]
pub struct Update<'a> {
    /// The keys to insert.
    pub keys: &'a [u32],
    /// Their values.
    pub values: &'a [u32],
    /// The keys to delete.
    pub deletes: &'a [u32],
}

/// An interval, both bounds inclusive.
#[derive(Debug, Clone, Copy)]
pub struct Interval {
    /// The lower bound.
    pub lower: u32,
    /// The upper bound.
    pub upper: u32,
}

/// Intervals in host memory, both bounds inclusive.
#[derive(Debug, Clone, Copy)]
pub struct Intervals<'a> {
    /// The lower bounds.
    pub lower: &'a [u32],
    /// The upper bounds.
    pub upper: &'a [u32],
}
