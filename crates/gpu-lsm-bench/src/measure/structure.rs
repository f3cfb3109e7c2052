//! What every structure that is measured offers.

use crate::error::{Error, Result};
use crate::record::measurement::Resident;
use gpu_lsm::Traffic;
use gpu_lsm_primitives::DeviceClock;

/// A dictionary from `u32` to `u32`, with columns on its device. What it does not offer is [`Error::Unsupported`].
pub trait Structure {
    /// Numbers on the structure's device.
    type Column;
    /// Its name in records and tables.
    const NAME: &'static str;
    /// How it comes to hold many batches where that is not what is measured.
    const GROWTH: Growth;

    /// Copies numbers to the device. Waits for it.
    ///
    /// # Errors
    /// Where there is no room.
    fn upload(&self, numbers: &[u32]) -> Result<Self::Column>;

    /// Copies the first `len` numbers to the host, all where there are fewer. Waits for the device.
    ///
    /// # Errors
    /// Where the device failed.
    fn read(&self, column: &Self::Column, len: usize) -> Result<Vec<u32>>;

    /// Builds it from all its entries, which have distinct keys: the paper's bulk build. Need not wait.
    ///
    /// # Errors
    /// Where there is no room.
    fn build(&mut self, keys: &Self::Column, values: &Self::Column) -> Result<()>;

    /// Inserts entries and then deletes keys, as one batch: the paper's batch insertion, Table II. Need not wait.
    ///
    /// # Errors
    /// Where there is no room.
    fn update(&mut self, keys: &Self::Column, values: &Self::Column, deletes: &Self::Column) -> Result<()>;

    /// Removes what is stale: the paper's cleanup. Need not wait.
    ///
    /// # Errors
    /// Where there is no room.
    fn cleanup(&mut self) -> Result<()> {
        Err(unsupported::<Self>("cleanup"))
    }

    /// Waits until all updates are done, where those did not.
    ///
    /// # Errors
    /// Where the device failed.
    fn wait(&self) -> Result<()> {
        Ok(())
    }

    /// Looks keys up: Table III.
    ///
    /// # Errors
    /// Where there is no room.
    fn lookup(&self, keys: &Self::Column) -> Result<Found<Self::Column>>;

    /// Counts the entries of each interval, both bounds included: Table IV, upper half.
    ///
    /// # Errors
    /// Where there is no room.
    fn count(&self, lower: &Self::Column, upper: &Self::Column) -> Result<Self::Column> {
        let _ = (lower, upper);
        Err(unsupported::<Self>("count"))
    }

    /// Finds the entries of each interval, both bounds included, ascending: Table IV, lower half.
    ///
    /// # Errors
    /// Where there is no room.
    fn range(&self, lower: &Self::Column, upper: &Self::Column) -> Result<Entries<Self::Column>> {
        let _ = (lower, upper);
        Err(unsupported::<Self>("range"))
    }

    /// What it holds. Does not wait.
    ///
    /// # Errors
    /// Where a rival fails.
    fn resident(&self) -> Result<Resident>;

    /// Starts the device's own clock, where it has one. It runs until what is returned is called.
    fn device_clock(&self) -> Option<DeviceClock> {
        None
    }

    /// What its calls have cost so far.
    fn traffic(&self) -> Traffic {
        Traffic::default()
    }
}

/// How large a structure is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Entries of a batch.
    pub b: usize,
    /// The most batches that there will be.
    pub batches: usize,
}

/// How a structure comes to hold many batches where that is not what is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// Batch by batch: how many there were shows in its queries.
    ByBatches,
    /// In one build: only how much it holds matters.
    InBulk,
}

/// The answers to lookups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<C> {
    /// For each query 1 where the key is present, else 0.
    pub found: C,
    /// For each query the value; of no meaning where the key is missing.
    pub values: C,
}

/// The entries that range queries found; keys and values may have room for more than the last offset says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entries<C> {
    /// For each query, and one past the last, how many entries the queries before it found.
    pub offsets: C,
    /// The keys.
    pub keys: C,
    /// Their values.
    pub values: C,
}

/// That a structure has no such operation.
pub fn unsupported<S: Structure + ?Sized>(operation: &'static str) -> Error {
    Error::Unsupported { structure: S::NAME, operation }
}

/// A batch, on the host.
#[derive(Debug, Clone, Copy)]
pub struct Update<'a> {
    /// The keys to insert.
    pub keys: &'a [u32],
    /// Their values.
    pub values: &'a [u32],
    /// The keys to delete.
    pub deletes: &'a [u32],
}

/// Intervals with both bounds included, on the host.
#[derive(Debug, Clone, Copy)]
pub struct Intervals<'a> {
    /// The lower bounds.
    pub lower: &'a [u32],
    /// The upper bounds.
    pub upper: &'a [u32],
}
