//! What every structure that is measured offers, and the one place where a clock runs.
//!
//! Inputs are uploaded before the clock starts. Results stay on the device and are waited for, by reading one element
//! of the last one back: that costs time, but is not counted as the operation's own copy or wait. Uploads and read-backs
//! have clocks of their own.

use crate::error::{Error, Result};
use gpu_lsm_primitives::DeviceClock;
use std::time::Instant;

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

/// What a structure holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Resident {
    /// Entries, stale ones and tombstones included.
    pub entries: u64,
    /// Their bytes, where the structure tells.
    pub bytes: Option<u64>,
}

/// What calls have cost, in ways that a device makes dear.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes copied to the device.
    pub uploaded: u64,
    /// Bytes copied to the host.
    pub downloaded: u64,
    /// Waits for the device.
    pub waits: u64,
    /// Kernels launched.
    pub launches: u64,
    /// Bytes that the kernels move.
    pub moved: u64,
}

impl Traffic {
    fn since(self, before: Self) -> Self {
        Self {
            uploaded: self.uploaded - before.uploaded,
            downloaded: self.downloaded - before.downloaded,
            waits: self.waits - before.waits,
            launches: self.launches - before.launches,
            moved: self.moved - before.moved,
        }
    }
}

/// That a structure has no such operation.
pub fn unsupported<S: Structure + ?Sized>(operation: &'static str) -> Error {
    Error::Unsupported { structure: S::NAME, operation }
}

/// How long an operation took, and what it cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timing {
    /// The operation itself, from its call until its results are on the device.
    pub seconds: f64,
    /// From the start of the first pass to the end of the last that the device ran for it, pauses between them included,
    /// where the engine tells.
    pub device_seconds: Option<f64>,
    /// Copying its input to the device.
    pub upload_seconds: f64,
    /// Copying its results to the host.
    pub read_back_seconds: f64,
    /// What the operation itself cost; the wait for its end is not counted.
    pub traffic: Traffic,
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

/// A structure under the clock: from the host's memory to the host's memory, with what lies between measured.
pub trait Measured {
    /// The structure's name.
    fn name(&self) -> &'static str;
    /// See [`Structure::GROWTH`].
    fn growth(&self) -> Growth;
    /// Measures [`Structure::build`].
    ///
    /// # Errors
    /// As the operation.
    fn build(&mut self, keys: &[u32], values: &[u32]) -> Result<Timing>;
    /// Measures [`Structure::update`].
    ///
    /// # Errors
    /// As the operation.
    fn update(&mut self, update: Update<'_>) -> Result<Timing>;
    /// Measures [`Structure::cleanup`].
    ///
    /// # Errors
    /// As the operation.
    fn cleanup(&mut self) -> Result<Timing>;
    /// Measures [`Structure::lookup`].
    ///
    /// # Errors
    /// As the operation.
    fn lookup(&self, keys: &[u32]) -> Result<(Timing, Found<Vec<u32>>)>;
    /// Measures [`Structure::count`].
    ///
    /// # Errors
    /// As the operation.
    fn count(&self, intervals: Intervals<'_>) -> Result<(Timing, Vec<u32>)>;
    /// Measures [`Structure::range`].
    ///
    /// # Errors
    /// As the operation.
    fn range(&self, intervals: Intervals<'_>) -> Result<(Timing, Entries<Vec<u32>>)>;
    /// See [`Structure::resident`].
    ///
    /// # Errors
    /// Where a rival fails.
    fn resident(&self) -> Result<Resident>;
}

/// Puts a structure under the clock.
#[derive(Debug)]
pub struct Clocked<S>(pub S);

/// The device's clock while it runs. It stops however an operation ends: else it would run on, into what comes next.
struct RunningClock(Option<DeviceClock>);

impl RunningClock {
    fn stop(mut self) -> Option<f64> {
        self.0.take().and_then(|stop| stop())
    }
}

impl Drop for RunningClock {
    fn drop(&mut self) {
        if let Some(stop) = self.0.take() {
            stop();
        }
    }
}

impl<S: Structure> Clocked<S> {
    /// Runs a query and waits for its result.
    fn clocked<T>(
        &self,
        operation: impl FnOnce(&S) -> Result<T>,
        last: impl Fn(&T) -> &S::Column,
    ) -> Result<(Timing, T)> {
        let before = self.0.traffic();
        let clock = RunningClock(self.0.device_clock());
        let started = Instant::now();
        let result = operation(&self.0)?;
        let traffic = self.0.traffic().since(before);
        self.0.read(last(&result), 1)?;
        let seconds = started.elapsed().as_secs_f64();
        Ok((Timing { seconds, device_seconds: clock.stop(), traffic, ..Timing::default() }, result))
    }

    /// Runs an operation that changes the structure, and waits for its end.
    fn clocked_mut(&mut self, operation: impl FnOnce(&mut S) -> Result<()>) -> Result<Timing> {
        let before = self.0.traffic();
        let clock = RunningClock(self.0.device_clock());
        let started = Instant::now();
        operation(&mut self.0)?;
        let traffic = self.0.traffic().since(before);
        self.0.wait()?;
        let seconds = started.elapsed().as_secs_f64();
        Ok(Timing { seconds, device_seconds: clock.stop(), traffic, ..Timing::default() })
    }

    /// Copies columns to the device.
    fn upload<const N: usize>(&self, columns: [&[u32]; N]) -> Result<(f64, Vec<S::Column>)> {
        let started = Instant::now();
        let columns = columns.iter().map(|numbers| self.0.upload(numbers)).collect::<Result<Vec<_>>>()?;
        Ok((started.elapsed().as_secs_f64(), columns))
    }
}

impl<S: Structure> Measured for Clocked<S> {
    fn name(&self) -> &'static str {
        S::NAME
    }

    fn growth(&self) -> Growth {
        S::GROWTH
    }

    fn build(&mut self, keys: &[u32], values: &[u32]) -> Result<Timing> {
        let (upload_seconds, columns) = self.upload([keys, values])?;
        let timing = self.clocked_mut(|structure| structure.build(&columns[0], &columns[1]))?;
        Ok(Timing { upload_seconds, ..timing })
    }

    fn update(&mut self, update: Update<'_>) -> Result<Timing> {
        let (upload_seconds, columns) = self.upload([update.keys, update.values, update.deletes])?;
        let timing = self.clocked_mut(|structure| structure.update(&columns[0], &columns[1], &columns[2]))?;
        Ok(Timing { upload_seconds, ..timing })
    }

    fn cleanup(&mut self) -> Result<Timing> {
        self.clocked_mut(S::cleanup)
    }

    fn lookup(&self, keys: &[u32]) -> Result<(Timing, Found<Vec<u32>>)> {
        let (upload_seconds, columns) = self.upload([keys])?;
        let (timing, answer) =
            self.clocked(|structure| structure.lookup(&columns[0]), |found| &found.values)?;
        let started = Instant::now();
        let found = self.0.read(&answer.found, keys.len())?;
        let values = self.0.read(&answer.values, keys.len())?;
        let read_back_seconds = started.elapsed().as_secs_f64();
        Ok((Timing { upload_seconds, read_back_seconds, ..timing }, Found { found, values }))
    }

    fn count(&self, intervals: Intervals<'_>) -> Result<(Timing, Vec<u32>)> {
        let (upload_seconds, columns) = self.upload([intervals.lower, intervals.upper])?;
        let (timing, counts) =
            self.clocked(|structure| structure.count(&columns[0], &columns[1]), |counts| counts)?;
        let started = Instant::now();
        let counts = self.0.read(&counts, intervals.lower.len())?;
        let read_back_seconds = started.elapsed().as_secs_f64();
        Ok((Timing { upload_seconds, read_back_seconds, ..timing }, counts))
    }

    fn range(&self, intervals: Intervals<'_>) -> Result<(Timing, Entries<Vec<u32>>)> {
        let (upload_seconds, columns) = self.upload([intervals.lower, intervals.upper])?;
        let (timing, found) =
            self.clocked(|structure| structure.range(&columns[0], &columns[1]), |found| &found.offsets)?;
        let started = Instant::now();
        let offsets = self.0.read(&found.offsets, intervals.lower.len() + 1)?;
        let total = offsets.last().map_or(0, |&total| total as usize);
        let (keys, values) = (self.0.read(&found.keys, total)?, self.0.read(&found.values, total)?);
        let read_back_seconds = started.elapsed().as_secs_f64();
        Ok((Timing { upload_seconds, read_back_seconds, ..timing }, Entries { offsets, keys, values }))
    }

    fn resident(&self) -> Result<Resident> {
        self.0.resident()
    }
}
