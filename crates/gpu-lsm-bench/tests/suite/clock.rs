//! The clocks: the operation's own costs, and that clocks stop.

use gpu_lsm::Traffic;
use gpu_lsm_bench::error::{Error, Result};
use gpu_lsm_bench::measure::clock::{Clocked, Measured};
use gpu_lsm_bench::measure::structure::{Found, Growth, Structure, Update, unsupported};
use gpu_lsm_bench::record::measurement::Resident;
use std::cell::Cell;
use std::rc::Rc;

/// Counts its own reads and waits, and the running device clocks. Its updates fail.
#[derive(Default)]
struct Counting {
    waits: Cell<u64>,
    running: Rc<Cell<i32>>,
}

impl Structure for Counting {
    type Column = Vec<u32>;
    const NAME: &'static str = "counting";
    const GROWTH: Growth = Growth::InBulk;

    fn upload(&self, numbers: &[u32]) -> Result<Vec<u32>> {
        Ok(numbers.to_vec())
    }

    fn read(&self, column: &Vec<u32>, len: usize) -> Result<Vec<u32>> {
        self.waits.set(self.waits.get() + 1);
        Ok(column[..len.min(column.len())].to_vec())
    }

    fn build(&mut self, _: &Vec<u32>, _: &Vec<u32>) -> Result<()> {
        Ok(())
    }

    fn update(&mut self, _: &Vec<u32>, _: &Vec<u32>, _: &Vec<u32>) -> Result<()> {
        Err(Error::Asked("no".into()))
    }

    fn wait(&self) -> Result<()> {
        self.waits.set(self.waits.get() + 1);
        Ok(())
    }

    /// Waits once on its own account. Fails if there is nothing to look up.
    fn lookup(&self, keys: &Vec<u32>) -> Result<Found<Vec<u32>>> {
        self.read(keys, 1)?;
        if keys.is_empty() {
            return Err(unsupported::<Self>("lookup of nothing"));
        }
        Ok(Found { found: keys.clone(), values: keys.clone() })
    }

    fn resident(&self) -> Result<Resident> {
        Ok(Resident::default())
    }

    fn device_clock(&self) -> Option<Box<dyn FnOnce() -> Option<f64>>> {
        let running = Rc::clone(&self.running);
        running.set(running.get() + 1);
        Some(Box::new(move || {
            running.set(running.get() - 1);
            Some(0.25)
        }))
    }

    fn traffic(&self) -> Traffic {
        let mut traffic = Traffic::default();
        traffic.waits = self.waits.get();
        traffic
    }
}

#[test]
fn the_wait_that_ends_a_measurement_is_not_the_operations_own() {
    let mut structure = Clocked(Counting::default());
    let (timing, _) = structure.lookup(&[1, 2]).expect("it answers");
    assert_eq!((timing.traffic.waits, timing.device_seconds), (1, Some(0.25)));
    let timing = structure.build(&[1], &[2]).expect("it can be built");
    assert_eq!((timing.traffic.waits, timing.device_seconds), (0, Some(0.25)));
}

#[test]
fn a_device_clock_stops_however_an_operation_ends() {
    let counting = Counting::default();
    let running = Rc::clone(&counting.running);
    let mut structure = Clocked(counting);
    structure.lookup(&[1]).expect("it answers");
    assert_eq!(running.get(), 0, "after an answer");
    structure.lookup(&[]).expect_err("it has none");
    assert_eq!(running.get(), 0, "after an error");
    structure.update(Update { keys: &[1], values: &[1], deletes: &[] }).expect_err("it fails");
    assert_eq!(running.get(), 0, "after an update that failed");
    structure.cleanup().expect_err("it has none");
    assert_eq!(running.get(), 0, "after what is unsupported");
}
