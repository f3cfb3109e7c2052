//! A wrong answer is noticed, also on a rerun.

use crate::support::{bench, folder, tiny};
use gpu_lsm::{Buffer, Device};
use gpu_lsm_bench::error::{Error, Result};
use gpu_lsm_bench::measure::adapters::ours::GpuLsm;
use gpu_lsm_bench::measure::contender::Contender;
use gpu_lsm_bench::measure::progress::Quiet;
use gpu_lsm_bench::measure::structure::{Entries, Found, Growth, Interval, Structure};
use gpu_lsm_bench::record::experiment::Experiment;
use gpu_lsm_bench::record::measurement::Resident;
use gpu_lsm_bench::record::sample::Record;
use std::path::Path;

/// Our dictionary, except that it answers one query of each call wrongly.
struct Liar(GpuLsm, Lie);

#[derive(Clone, Copy)]
enum Lie {
    Lookup,
    Count,
    Range,
    /// Nothing is cleaned up.
    Cleanup,
    /// Only the newest of the entries that leave a window is deleted.
    Slide,
}

impl Liar {
    fn bent(&self, buffer: &Buffer<u32>) -> Result<Buffer<u32>> {
        let mut numbers = self.0.read(buffer, usize::MAX)?;
        if let Some(last) = numbers.last_mut() {
            *last ^= 1;
        }
        self.0.upload(&numbers)
    }
}

impl Structure for Liar {
    type Column = Buffer<u32>;
    const NAME: &'static str = "liar";
    const GROWTH: Growth = Growth::ByBatches;

    fn upload(&self, numbers: &[u32]) -> Result<Buffer<u32>> {
        self.0.upload(numbers)
    }

    fn read(&self, column: &Buffer<u32>, len: usize) -> Result<Vec<u32>> {
        self.0.read(column, len)
    }

    fn build(&mut self, keys: &Buffer<u32>, values: &Buffer<u32>) -> Result<()> {
        self.0.build(keys, values)
    }

    fn update(&mut self, keys: &Buffer<u32>, values: &Buffer<u32>, deletes: &Buffer<u32>) -> Result<()> {
        self.0.update(keys, values, deletes)
    }

    fn slide(
        &mut self,
        keys: &Buffer<u32>,
        values: &Buffer<u32>,
        deletes: &Buffer<u32>,
        oldest: Interval,
    ) -> Result<()> {
        let lower = if matches!(self.1, Lie::Slide) { oldest.upper } else { oldest.lower };
        self.0.slide(keys, values, deletes, Interval { lower, ..oldest })
    }

    fn cleanup(&mut self) -> Result<()> {
        if matches!(self.1, Lie::Cleanup) { Ok(()) } else { self.0.cleanup() }
    }

    fn lookup(&self, keys: &Buffer<u32>) -> Result<Found<Buffer<u32>>> {
        let answer = self.0.lookup(keys)?;
        let found = if matches!(self.1, Lie::Lookup) { self.bent(&answer.found)? } else { answer.found };
        Ok(Found { found, ..answer })
    }

    fn count(&self, lower: &Buffer<u32>, upper: &Buffer<u32>) -> Result<Buffer<u32>> {
        let counts = self.0.count(lower, upper)?;
        if matches!(self.1, Lie::Count) { self.bent(&counts) } else { Ok(counts) }
    }

    fn range(&self, lower: &Buffer<u32>, upper: &Buffer<u32>) -> Result<Entries<Buffer<u32>>> {
        let found = self.0.range(lower, upper)?;
        let values = if matches!(self.1, Lie::Range) { self.bent(&found.values)? } else { found.values };
        Ok(Entries { values, ..found })
    }

    fn resident(&self) -> Result<Resident> {
        self.0.resident()
    }
}

fn run_liar(lie: Lie, experiment: Experiment, verify: bool, results: &Path) -> Result<Vec<Record>> {
    let liar = Contender::new(move |room| Ok(Liar(GpuLsm::new(&Device::host(), room.b)?, lie)));
    bench(results)?.with_contenders(vec![liar]).run(experiment, tiny(), verify, &mut Quiet)
}

const LIES: [(Lie, Experiment); 12] = [
    (Lie::Lookup, Experiment::Lookup),
    (Lie::Lookup, Experiment::Insert),
    (Lie::Count, Experiment::Ranges),
    (Lie::Range, Experiment::Ranges),
    (Lie::Range, Experiment::Build),
    // Only the comparison of the whole content at the end of a series notices these.
    (Lie::Range, Experiment::Insert),
    (Lie::Range, Experiment::Steady),
    (Lie::Range, Experiment::Window),
    (Lie::Range, Experiment::Expiry),
    (Lie::Slide, Experiment::Expiry),
    (Lie::Range, Experiment::Cleanup),
    (Lie::Cleanup, Experiment::Cleanup),
];

#[test]
fn a_wrong_answer_fails_the_run_and_says_whose_it_is() {
    for (lie, experiment) in LIES {
        let results = folder();
        let error = run_liar(lie, experiment, true, results.path()).expect_err("the answers are wrong");
        assert!(matches!(&error, Error::Mismatch { structure, .. } if structure == "liar"), "{error}");
    }
    let results = folder();
    let records = run_liar(Lie::Lookup, Experiment::Lookup, false, results.path()).expect("nobody looks");
    assert!(!records.is_empty());
}

#[test]
fn a_run_that_failed_fails_again() {
    for (lie, experiment) in LIES {
        let results = folder();
        for attempt in 1..=2 {
            let result = run_liar(lie, experiment, true, results.path());
            assert!(matches!(result, Err(Error::Mismatch { .. })), "{experiment:?}, attempt {attempt}");
        }
    }
}
