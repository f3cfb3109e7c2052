//! The only place where a clock runs.
//!
//! Inputs are uploaded before the clock starts. Results stay on the device. To wait for them, one element of the last
//! result is read back: this takes time, but does not count as the operation's own copy or wait. Uploads and read-backs
//! have their own clocks.

use crate::error::Result;
use crate::measure::structure::{Entries, Found, Growth, Interval, Intervals, Structure, Update};
use crate::record::measurement::{Resident, Timing};
use gpu_lsm_primitives::DeviceClock;
use std::time::Instant;

/// A structure with timed operations, whose inputs and results are in host memory.
pub trait Measured {
    /// The structure's name.
    fn name(&self) -> &'static str;
    /// See [`Structure::GROWTH`].
    fn growth(&self) -> Growth;
    /// Measures [`Structure::build`].
    ///
    /// # Errors
    /// As for the operation.
    fn build(&mut self, keys: &[u32], values: &[u32]) -> Result<Timing>;
    /// Measures [`Structure::update`].
    ///
    /// # Errors
    /// As for the operation.
    fn update(&mut self, update: Update<'_>) -> Result<Timing>;
    /// Measures [`Structure::slide`].
    ///
    /// # Errors
    /// As for the operation.
    fn slide(&mut self, update: Update<'_>, oldest: Interval) -> Result<Timing>;
    /// Measures [`Structure::cleanup`].
    ///
    /// # Errors
    /// As for the operation.
    fn cleanup(&mut self) -> Result<Timing>;
    /// Measures [`Structure::lookup`].
    ///
    /// # Errors
    /// As for the operation.
    fn lookup(&self, keys: &[u32]) -> Result<(Timing, Found<Vec<u32>>)>;
    /// Measures [`Structure::count`].
    ///
    /// # Errors
    /// As for the operation.
    fn count(&self, intervals: Intervals<'_>) -> Result<(Timing, Vec<u32>)>;
    /// Measures [`Structure::range`].
    ///
    /// # Errors
    /// As for the operation.
    fn range(&self, intervals: Intervals<'_>) -> Result<(Timing, Entries<Vec<u32>>)>;
    /// See [`Structure::resident`].
    ///
    /// # Errors
    /// If a rival fails.
    fn resident(&self) -> Result<Resident>;
}

/// Times a structure's operations.
#[derive(Debug)]
pub struct Clocked<S>(pub S);

/// The running clock of the device. It stops however an operation ends; otherwise it would run on into the next one.
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

    fn slide(&mut self, update: Update<'_>, oldest: Interval) -> Result<Timing> {
        // `upload_seconds` includes the keys to be deleted, also for a structure that deletes the interval instead.
        let (upload_seconds, columns) = self.upload([update.keys, update.values, update.deletes])?;
        let slide = |structure: &mut S| structure.slide(&columns[0], &columns[1], &columns[2], oldest);
        let timing = self.clocked_mut(slide)?;
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
