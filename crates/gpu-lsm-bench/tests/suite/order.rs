//! The order of contenders, the unrecorded warm-ups, and the repetitions.

use crate::support::{bench, folder, run, tiny};
use gpu_lsm::{Buffer, Device};
use gpu_lsm_bench::error::Result;
use gpu_lsm_bench::measure::adapters::ours::GpuLsm;
use gpu_lsm_bench::measure::contender::{Contender, contenders};
use gpu_lsm_bench::measure::progress::Quiet;
use gpu_lsm_bench::measure::scale::Scale;
use gpu_lsm_bench::measure::session::Session;
use gpu_lsm_bench::measure::structure::{Entries, Found, Growth, Structure};
use gpu_lsm_bench::record::experiment::Experiment;
use gpu_lsm_bench::record::measurement::Resident;
use gpu_lsm_bench::record::sample::Record;
use gpu_lsm_bench::record::store::Store;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

#[test]
fn nobody_always_comes_first() {
    let results = folder();
    let bench = bench(results.path()).expect("it can be read");
    let mut store = Store::open(&results.path().join("a.jsonl"), "a run").expect("it can be opened");
    let (all, place) = (contenders(&Device::host()), gpu_lsm_bench::record::machine::place(&Device::host()));
    let session = Session {
        run: bench.current_run(),
        place: &place,
        contenders: &all,
        store: &mut store,
        verify: false,
        repeat_for: Duration::ZERO,
        progress: &mut Quiet,
    };
    let names = |turn| session.contenders(turn).map(|contender| contender.name).collect::<Vec<_>>();
    let first: Vec<_> = (0..all.len()).map(|turn| names(turn)[0]).collect();
    assert_eq!(first, names(0), "each comes first once");
    assert_eq!(names(all.len()), names(0));
    assert!((0..all.len()).all(|turn| names(turn).len() == all.len()));
}

/// Our dictionary, which notes its calls.
struct Noting(GpuLsm, Rc<RefCell<Vec<(&'static str, usize)>>>);

impl Noting {
    fn note(&self, operation: &'static str, column: &Buffer<u32>) {
        self.1.borrow_mut().push((operation, column.len()));
    }
}

impl Structure for Noting {
    type Column = Buffer<u32>;
    const NAME: &'static str = "noting";
    const GROWTH: Growth = Growth::ByBatches;

    fn upload(&self, numbers: &[u32]) -> Result<Buffer<u32>> {
        self.0.upload(numbers)
    }

    fn read(&self, column: &Buffer<u32>, len: usize) -> Result<Vec<u32>> {
        self.0.read(column, len)
    }

    fn build(&mut self, keys: &Buffer<u32>, values: &Buffer<u32>) -> Result<()> {
        self.note("build", keys);
        self.0.build(keys, values)
    }

    fn update(&mut self, keys: &Buffer<u32>, values: &Buffer<u32>, deletes: &Buffer<u32>) -> Result<()> {
        self.note("update", keys);
        self.0.update(keys, values, deletes)
    }

    fn cleanup(&mut self) -> Result<()> {
        self.1.borrow_mut().push(("cleanup", 0));
        self.0.cleanup()
    }

    fn lookup(&self, keys: &Buffer<u32>) -> Result<Found<Buffer<u32>>> {
        self.note("lookup", keys);
        self.0.lookup(keys)
    }

    fn count(&self, lower: &Buffer<u32>, upper: &Buffer<u32>) -> Result<Buffer<u32>> {
        self.note("count", lower);
        self.0.count(lower, upper)
    }

    fn range(&self, lower: &Buffer<u32>, upper: &Buffer<u32>) -> Result<Entries<Buffer<u32>>> {
        self.note("range", lower);
        self.0.range(lower, upper)
    }

    fn resident(&self) -> Result<Resident> {
        self.0.resident()
    }
}

/// Larger than the warm-up, so that their sizes differ.
fn larger() -> Scale {
    Scale { n: 1 << 10, ..tiny() }
}

/// How often each operation ran at each size.
type Counts = BTreeMap<(&'static str, usize), usize>;

/// The calls of an experiment, including the bench's own warm-up, and its records.
fn noted(experiment: Experiment, scale: Scale) -> (Counts, Vec<Record>) {
    let (counts, mut records) = all_noted(&[experiment], scale);
    (counts, records.remove(0))
}

/// The same for several experiments of one bench.
fn all_noted(experiments: &[Experiment], scale: Scale) -> (Counts, Vec<Vec<Record>>) {
    let (results, notes) = (folder(), Rc::new(RefCell::new(Vec::new())));
    let noting = {
        let notes = Rc::clone(&notes);
        Contender::new(move |room| Ok(Noting(GpuLsm::new(&Device::host(), room.b)?, Rc::clone(&notes))))
    };
    let bench = bench(results.path()).expect("it can be read").with_contenders(vec![noting]);
    let run = |&experiment| bench.run(experiment, scale, false, &mut Quiet).expect("it can be measured");
    let records = experiments.iter().map(run).collect();
    let mut counts = Counts::new();
    for note in notes.borrow().iter() {
        *counts.entry(*note).or_default() += 1;
    }
    (counts, records)
}

#[test]
fn each_size_is_measured_once_more_for_nobody_before_it_counts() {
    let (counts, records) = noted(Experiment::Build, larger());
    assert_eq!((counts[&("build", 1 << 10)], records.len()), (4, 3));
    let (counts, records) = noted(Experiment::Lookup, larger());
    // n/b = 1: three of each kind after one warm-up; n/b = 2, r = 2: the same.
    assert_eq!(counts[&("lookup", 1 << 10)] % 4, 0, "{counts:?}");
    let of_one = records.iter().filter(|record| record.sample.b == 1 << 10);
    assert_eq!(of_one.count(), 6);
    let (counts, records) = noted(Experiment::Insert, larger());
    // One warm-up and three series of one batch; three sorts.
    assert_eq!(counts[&("update", 1 << 10)], 7);
    let noting = |record: &&Record| record.sample.structure == "noting" && record.sample.b == 1 << 10;
    assert_eq!(records.iter().filter(noting).count(), 6);
}

#[test]
fn a_bench_is_warmed_up_once() {
    let cleanups = |experiments: &[Experiment]| all_noted(experiments, larger()).0[&("cleanup", 0)];
    assert_eq!(cleanups(&[Experiment::Build]), cleanups(&[Experiment::Build, Experiment::Lookup]));
}

#[test]
fn queries_are_repeated_for_as_long_as_asked() {
    let scale = Scale { repeat_for: Duration::from_secs(3600), ..larger() };
    let (counts, records) = noted(Experiment::Lookup, scale);
    // The most repetitions, after one warm-up.
    assert_eq!(counts[&("lookup", 1 << 10)] % 32, 0, "{counts:?}");
    assert_eq!(records.iter().filter(|record| record.sample.b == 1 << 10).count(), 2 * 31);
}

#[test]
fn after_a_cleanup_there_are_as_many_lookups_as_asked() {
    let (counts, records) = noted(Experiment::Cleanup, Scale { lookups: 5000, ..larger() });
    // One warm-up and three samples, with 10 % and with 50 % stale.
    assert_eq!(counts[&("lookup", 5000)], 8, "{counts:?}");
    let after = records.iter().filter(|record| record.sample.case.starts_with("lookup after"));
    assert!(after.map(|record| record.operations).eq([5000; 6]));
}

#[test]
fn rows_that_would_have_one_sample_have_three() {
    for experiment in [Experiment::Cleanup, Experiment::Build, Experiment::Clustered, Experiment::Lookup] {
        let results = folder();
        let records = run(experiment, results.path()).expect("every answer is right");
        let mut rows: BTreeMap<String, usize> = BTreeMap::new();
        for record in records {
            let sample = record.sample;
            let row =
                format!("{} {:?} {} {} {:?}", sample.structure, sample.keys, sample.case, sample.b, sample.l);
            *rows.entry(row).or_default() += 1;
        }
        assert!(rows.values().all(|samples| *samples >= 3), "{experiment:?}: {rows:?}");
    }
}

/// All inserted entries are counted, even those that a structure dropped before.
#[test]
fn a_cleanup_counts_the_same_entries_for_everyone() {
    let results = folder();
    let records = run(Experiment::Cleanup, results.path()).expect("every answer is right");
    let cleanups: Vec<_> =
        records.iter().filter(|record| record.sample.case.starts_with("cleanup")).collect();
    assert!(cleanups.iter().all(|record| record.operations == 63 * record.sample.b as u64));
    let names: Vec<_> = cleanups.iter().map(|record| &*record.sample.structure).collect();
    assert!(names.contains(&"gpu-lsm") && names.contains(&"paper_lsm"));
}
