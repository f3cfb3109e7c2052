//! Every structure in every experiment against the reference; and that a wrong answer is noticed.

use crate::support::{Folder, run, tiny};
use gpu_lsm::Buffer;
use gpu_lsm::Device;
use gpu_lsm_bench::bench::Bench;
use gpu_lsm_bench::contender::{Contender, contenders};
use gpu_lsm_bench::error::{Error, Result};
use gpu_lsm_bench::experiment::Experiment;
use gpu_lsm_bench::ours::GpuLsm;
use gpu_lsm_bench::session::Quiet;
use gpu_lsm_bench::structure::{Entries, Found, Growth, Resident, Structure};
use std::collections::BTreeSet;

fn names(device: &Device) -> BTreeSet<String> {
    contenders(device).iter().map(|contender| contender.name.to_owned()).collect()
}

#[test]
fn every_experiment_verifies_every_structure_on_the_host() {
    let results = Folder::new();
    let mut seen = BTreeSet::new();
    for experiment in Experiment::ALL {
        let records = run(experiment, results.path()).expect("every answer is right");
        assert!(records.iter().all(|record| record.verified && record.seconds > 0.0), "{experiment:?}");
        seen.extend(records.into_iter().map(|record| record.sample.structure));
    }
    seen.remove("copy");
    assert_eq!(seen, names(&Device::host()));
}

#[test]
fn what_a_structure_has_not_is_a_typed_error() {
    let cuckoo = contenders(&Device::host()).into_iter().find(|contender| contender.name == "cuckoo_hash");
    let mut cuckoo = cuckoo.expect("it is there").make(16, 1).expect("it can be made");
    cuckoo.build(&[1, 2, 3], &[4, 5, 6]).expect("it can be built");
    let intervals = gpu_lsm_bench::structure::Intervals { lower: &[1], upper: &[2] };
    assert!(matches!(cuckoo.count(intervals), Err(Error::Unsupported { operation: "count", .. })));
    assert!(matches!(cuckoo.cleanup(), Err(Error::Unsupported { operation: "cleanup", .. })));
    assert_eq!(cuckoo.lookup(&[2, 9]).expect("it answers").1, [Some(5), None]);
}

/// Our dictionary, which answers one query of each call wrongly.
struct Liar(GpuLsm, Lie);

#[derive(Clone, Copy)]
enum Lie {
    Lookup,
    Count,
    Range,
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

fn run_liar(lie: Lie, experiment: Experiment, verify: bool) -> Result<usize> {
    let results = Folder::new();
    let liar = Contender::new(move |room| Ok(Liar(GpuLsm::new(&Device::host(), room.b)?, lie)));
    let bench = Bench::new(&Device::host(), results.path())?.with_contenders(vec![liar]);
    Ok(bench.run(experiment, tiny(), verify, &mut Quiet)?.len())
}

#[test]
fn a_wrong_answer_fails_the_run_and_says_whose_it_is() {
    let lies = [
        (Lie::Lookup, Experiment::Lookup),
        (Lie::Lookup, Experiment::Insert),
        (Lie::Count, Experiment::Ranges),
        (Lie::Range, Experiment::Ranges),
        (Lie::Range, Experiment::Build),
        (Lie::Range, Experiment::Steady),
    ];
    for (lie, experiment) in lies {
        let error = run_liar(lie, experiment, true).expect_err("the answers are wrong");
        assert!(matches!(&error, Error::Mismatch { structure, .. } if structure == "liar"), "{error}");
    }
    assert!(run_liar(Lie::Lookup, Experiment::Lookup, false).expect("nobody looks") > 0);
}

#[cfg(feature = "wgpu")]
#[test]
fn every_structure_is_verified_on_the_gpu_and_its_bytes_are_counted() {
    let results = Folder::new();
    let device = Device::gpu().expect("there is a GPU");
    let bench = Bench::new(&device, results.path()).expect("it can be written");
    let records = bench.run(Experiment::Traffic, tiny(), true, &mut Quiet).expect("every answer is right");
    let seen: BTreeSet<_> = records.iter().map(|record| record.sample.structure.clone()).collect();
    assert!(names(&device).is_subset(&seen));
    let operations = || records.iter().filter(|record| record.sample.case != "copy");
    assert!(
        operations().all(|record| record.verified && record.launches > 0 && record.moved > record.operations)
    );
}
