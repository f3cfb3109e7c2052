//! Ratios: their numerators and denominators, and the medians of several runs.

use crate::support::{folder, run, tiny};
use gpu_lsm::Device;
use gpu_lsm_bench::command::repeated::Repeated;
use gpu_lsm_bench::measure::progress::{Progress, Quiet};
use gpu_lsm_bench::measure::scale::Scale;
use gpu_lsm_bench::record::experiment::Experiment;
use gpu_lsm_bench::record::summary::summaries;
use gpu_lsm_bench::report::medians::Medians;
use gpu_lsm_bench::report::ratios::{rates, times};

/// The higher the ratio, the faster gpu-lsm is. A row starts with the experiment's name, by which the gate repeats
/// failed rows.
#[test]
fn a_ratio_is_our_rate_by_that_of_each_other() {
    let folder = folder();
    let records = run(Experiment::Ranges, folder.path()).unwrap();
    let mut faster = records.clone();
    for record in &mut faster {
        record.rate *= if record.sample.structure == "gpu-lsm" { 2.0 } else { 1.0 };
    }
    let (before, after) = (rates(&records), rates(&faster));
    for structure in ["paper_lsm", "sorted_array"] {
        let row = ("ranges count, L = 8, n/b = 16".to_owned(), structure.to_owned());
        assert!(before.contains_key(&row), "{before:?}");
    }
    for (row, ratio) in before {
        assert!(row.0.starts_with("ranges ") && (after[&row] / ratio - 2.0).abs() < 1e-9, "{row:?}");
    }
    assert!(times(&records).is_empty(), "ranges have no batches");
}

/// Batches of gpu-lsm that take a tenth of their time, and sorts that take none.
#[test]
fn slow_batches_and_merging_are_compared_by_their_times() {
    let folder = folder();
    let records = run(Experiment::Insert, folder.path()).unwrap();
    let mut faster = records.clone();
    for record in &mut faster {
        record.seconds *= if record.sample.case == "sort" { 0.0 } else { 1.0 };
        record.seconds *= if record.sample.structure == "gpu-lsm" { 0.1 } else { 1.0 };
    }
    let (before, after) = (times(&records), times(&faster));
    let row = |what: &str| (format!("insert insert, n/b = 16, {what}"), "paper_lsm".to_owned());
    let (slowest, merging) = (row("99th percentile"), row("merging alone"));
    assert!((after[&slowest] / before[&slowest] - 10.0).abs() < 1e-9);
    let groups = summaries(&faster);
    let (_, structures) = groups
        .iter()
        .find(|(group, _)| group.case == "insert" && group.batches == 16)
        .expect("it was measured");
    let batch = |name: &str| {
        let summary = structures.iter().find(|summary| summary.structure == name).expect("it was measured");
        summary.mean_seconds()
    };
    assert!((after[&merging] - batch("paper_lsm") / batch("gpu-lsm")).abs() < 1e-9);
}

#[test]
fn insertions_are_compared_with_the_bare_sort_of_their_batches() {
    let folder = folder();
    let records = run(Experiment::Insert, folder.path()).unwrap();
    let mut slower = records.clone();
    for record in &mut slower {
        record.rate *= if record.sample.structure == "bare_sort" { 0.5 } else { 1.0 };
    }
    let row = ("insert insert, n/b = 16".to_owned(), "bare_sort".to_owned());
    assert!((times(&slower)[&row] / times(&records)[&row] - 2.0).abs() < 1e-9);
}

#[test]
fn a_structure_that_is_not_there_is_an_error_that_says_which_are() {
    let device = Device::host();
    let repeated = Repeated { device: &device, beside: &["skip_list"], scale: tiny() };
    let error = repeated.medians(Experiment::Build, 1, &mut Quiet).unwrap_err().to_string();
    assert!(error.contains("skip_list") && error.contains("paper_lsm"), "{error}");
}

#[test]
fn only_batch_sizes_that_are_wanted_are_measured() {
    let scale = Scale { wanted: 64 + 16, ..tiny() };
    assert_eq!(scale.batch_sizes(16), [64, 16]);
    assert_eq!(tiny().batch_sizes(16), [256, 128, 64, 32, 16]);
}

#[test]
fn a_batch_size_that_an_experiment_does_not_have_is_an_error() {
    let device = Device::host();
    let repeated = Repeated { device: &device, beside: &[], scale: Scale { wanted: 256, ..tiny() } };
    let error = repeated.medians(Experiment::Ranges, 1, &mut Quiet).unwrap_err().to_string();
    assert!(error.contains("nothing was measured"), "{error}");
}

#[test]
fn medians_lie_between_the_least_and_the_most_and_are_written_down() {
    let folder = folder();
    let device = Device::host();
    let repeated = Repeated { device: &device, beside: &["sorted_array", "paper_lsm"], scale: tiny() };
    let medians = repeated.medians(Experiment::Lookup, 3, &mut Quiet).unwrap();
    assert!(medians.rows.len() > 5 && medians.runs == 3);
    for row in &medians.rows {
        assert!(0.0 < row.least && row.least <= row.median && row.median <= row.most, "{row:?}");
    }
    let path = medians.write(folder.path(), &device).unwrap();
    assert!(path.ends_with("host/lookup-ratios.json"), "{}", path.display());
    let read = |experiment| Medians::read(&folder.path().join("host"), experiment).unwrap();
    assert_eq!(read(Experiment::Insert), None);
    let table = medians.table();
    assert_eq!(read(Experiment::Lookup).unwrap().table().rows, table.rows);
    assert_eq!(table.header[1..], ["paper_lsm", "sorted_array"], "those that were asked for");
    assert!(table.rows.iter().any(|row| row[0] == "lookup all, n/b = 16"), "{:?}", table.rows);
}

/// Notes what begins.
#[derive(Default)]
struct Noting(Vec<String>);

impl Progress for Noting {
    fn begin(&mut self, experiment: &str, _: usize) {
        self.0.push(experiment.into());
    }

    fn advance(&mut self, _: usize) {}
}

#[test]
fn progress_says_which_of_how_many_runs_it_is() {
    let device = Device::host();
    let (repeated, mut noting) =
        (Repeated { device: &device, beside: &[], scale: tiny() }, Noting::default());
    repeated.medians(Experiment::Build, 2, &mut noting).unwrap();
    assert_eq!(noting.0, ["run 1 of 2: build", "run 2 of 2: build"]);
}
