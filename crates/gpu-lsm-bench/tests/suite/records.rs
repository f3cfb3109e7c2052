//! Records: resuming, incomplete lines, and summaries that can be recomputed from the file.

use crate::support::{folder, run};
use gpu_lsm_bench::Error;
use gpu_lsm_bench::record::experiment::Experiment;
use gpu_lsm_bench::record::kept::Kept;
use gpu_lsm_bench::record::sample::Record;
use gpu_lsm_bench::record::store::{self, Store};
use gpu_lsm_bench::record::summary::summaries;
use gpu_lsm_bench::report::plots::plots;
use gpu_lsm_bench::report::tables::tables;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn file(results: &Path, experiment: Experiment) -> PathBuf {
    store::file(&results.join("host"), experiment.name())
}

#[test]
fn a_line_has_all_that_is_needed_to_compute_aggregates_again() {
    let results = folder();
    run(Experiment::Ranges, results.path()).expect("every answer is right");
    let text = fs::read_to_string(file(results.path(), Experiment::Ranges)).expect("it was written");
    let line: serde_json::Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    let names = [
        "experiment",
        "run",
        "device",
        "driver",
        "structure",
        "keys",
        "b",
        "n",
        "r",
        "L",
        "case",
        "seconds",
        "rate",
        "verified",
        "upload_seconds",
        "read_back_seconds",
        "device_seconds",
        "launches",
        "waits",
        "moved",
    ];
    for name in names {
        assert!(line.get(name).is_some(), "{name} in {line}");
    }
}

#[test]
fn aggregates_are_those_of_the_lines() {
    let results = folder();
    let returned = run(Experiment::Lookup, results.path()).expect("every answer is right");
    let text = fs::read_to_string(file(results.path(), Experiment::Lookup)).expect("it was written");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for (group, structures) in summaries(&returned) {
        for summary in structures {
            let own = lines.iter().filter(|line| {
                line["structure"] == *summary.structure
                    && line["b"] == group.b
                    && line["n"] == group.n
                    && line["case"] == *group.case
            });
            let rate = |line: &&serde_json::Value| line["rate"].as_f64().expect("a number");
            // For each r, the median of its repetitions; extremes are not part of the mean.
            let mut by_r: BTreeMap<u64, (bool, Vec<f64>)> = BTreeMap::new();
            for line in own {
                let r = by_r.entry(line["r"].as_u64().expect("a number")).or_default();
                r.0 = line["extreme"].as_bool().expect("yes or no");
                r.1.push(rate(&line));
            }
            for (_, repetitions) in by_r.values_mut() {
                repetitions.sort_by(f64::total_cmp);
            }
            let median = |repetitions: &[f64]| repetitions[repetitions.len() / 2];
            let all: Vec<_> = by_r.values().map(|(_, repetitions)| median(repetitions)).collect();
            let counting = by_r.values().filter(|(is_extreme, _)| !is_extreme);
            let rates: Vec<_> = counting.map(|(_, repetitions)| median(repetitions)).collect();
            let mean = rates.len() as f64 / rates.iter().map(|rate| 1.0 / rate).sum::<f64>();
            assert_eq!(rates.len(), summary.rates.samples);
            let min = all.iter().copied().fold(f64::INFINITY, f64::min);
            let max = all.iter().copied().fold(0.0, f64::max);
            for (again, known) in
                [(mean, summary.rates.mean), (min, summary.rates.min), (max, summary.rates.max)]
            {
                assert!((again / known - 1.0).abs() < 1e-9, "{again} and {known}");
            }
        }
    }
}

/// Tables and plots are all that is made from results, so the summaries must contain what they need.
#[test]
fn what_is_kept_gives_the_tables_and_plots_of_the_samples() {
    let results = folder();
    for experiment in Experiment::ALL {
        let of_samples = summaries(&run(experiment, results.path()).expect("every answer is right"));
        let kept = Kept::read(&results.path().join("host"), experiment.name()).expect("it can be read");
        let kept = kept.expect("it was written").summaries;
        assert_eq!(kept, of_samples, "every number is read as it was written");
        assert_eq!(tables(experiment, &kept), tables(experiment, &of_samples));
        let drawn =
            |summaries| plots(experiment, summaries).iter().map(|plot| plot.to_svg("")).collect::<Vec<_>>();
        assert_eq!(drawn(&kept), drawn(&of_samples), "{experiment:?}");
        assert!(!drawn(&kept).is_empty(), "{experiment:?}");
    }
}

#[test]
fn a_run_that_was_cut_off_goes_on_and_repeats_no_sample() {
    for experiment in [Experiment::Insert, Experiment::Lookup, Experiment::Window] {
        let results = folder();
        run(experiment, results.path()).expect("every answer is right");
        let path = file(results.path(), experiment);
        let whole = fs::read_to_string(&path).expect("it was written");
        let lines: Vec<_> = whole.lines().collect();
        // Half of the lines, and a fragment of the next.
        let kept = lines[..lines.len() / 2].join("\n") + "\n";
        fs::write(&path, format!("{kept}{}", &lines[lines.len() / 2][..20])).expect("it can be cut");
        run(experiment, results.path()).expect("it goes on");
        let resumed = fs::read_to_string(&path).expect("it was written");
        assert!(resumed.starts_with(&kept), "{experiment:?}: what was there stays");
        let samples = |text: &str| -> Vec<_> {
            text.lines().map(|line| serde_json::from_str::<Record>(line).expect("a record").sample).collect()
        };
        assert_eq!(samples(&resumed).len(), lines.len(), "{experiment:?}: none twice, none missing");
        run(experiment, results.path()).expect("there is nothing left to do");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), resumed, "{experiment:?}");
    }
}

#[test]
fn a_sample_that_was_not_verified_is_measured_again_when_that_is_asked() {
    let results = folder();
    run(Experiment::Build, results.path()).expect("every answer is right");
    let path = file(results.path(), Experiment::Build);
    let text = fs::read_to_string(&path).expect("it was written");
    fs::write(&path, text.replace("\"verified\":true", "\"verified\":false")).expect("it can be changed");
    let records = run(Experiment::Build, results.path()).expect("every answer is right");
    assert!(records.iter().all(|record| record.verified));
    let lines = fs::read_to_string(&path).expect("it is there").lines().count();
    assert_eq!(lines, 2 * records.len(), "the file keeps both, and the last counts");
}

#[test]
fn a_line_that_is_no_record_is_an_error_with_its_number() {
    let results = folder();
    run(Experiment::Build, results.path()).expect("every answer is right");
    let path = file(results.path(), Experiment::Build);
    let text = fs::read_to_string(&path).expect("it was written");
    fs::write(&path, format!("{text}{{}}\n")).expect("it can be changed");
    let line = text.lines().count() + 1;
    assert!(matches!(Store::open(&path, "a run"), Err(Error::Record { line: found, .. }) if found == line));
}
