//! Runs: which one is resumed, and that samples of two runs are never mixed.

use crate::support::{bench, folder, run, tiny};
use gpu_lsm::Device;
use gpu_lsm_bench::Error;
use gpu_lsm_bench::command::bench::Bench;
use gpu_lsm_bench::measure::progress::Quiet;
use gpu_lsm_bench::measure::scale::Scale;
use gpu_lsm_bench::record::experiment::Experiment;
use gpu_lsm_bench::record::kept::Kept;
use gpu_lsm_bench::record::lock;
use gpu_lsm_bench::record::machine::{Machine, place};
use gpu_lsm_bench::record::run::{self as runs, CurrentRun};
use gpu_lsm_bench::record::store::{self, Store};
use gpu_lsm_bench::record::summary::summaries;
use gpu_lsm_bench::report::tables::tables;
use std::fs;
use std::path::Path;

fn this() -> Machine {
    Machine::this(&place(&Device::host()))
}

fn begin(folder: &Path, machine: Machine, asked: &str, fresh: bool) -> String {
    CurrentRun::begin(folder, machine, asked, fresh).expect("it can be read").name().to_owned()
}

#[test]
fn only_the_same_command_of_the_same_program_goes_on_with_a_run() {
    let folder = folder();
    let first = CurrentRun::begin(folder.path(), this(), "all", false).expect("it can be read");
    first.write_down().expect("it can be written");
    let again = |machine, asked, fresh| begin(folder.path(), machine, asked, fresh) == first.name();
    assert!(again(this(), "all", false));
    assert!(!again(this(), "all", true), "a fresh one was wanted");
    assert!(!again(this(), "insert", false), "something else was asked for");
    assert!(!again(Machine { driver: "another".into(), ..this() }, "all", false));
    assert!(!again(Machine { processor: "another".into(), ..this() }, "all", false));
    assert!(!again(Machine { commit: "another".into(), ..this() }, "all", false));
    assert!(!again(Machine { built: "later".into(), ..this() }, "all", false));
    first.finish().expect("it can be written");
    assert!(!again(this(), "all", false), "it came to its end");
}

#[test]
fn runs_that_begin_in_the_same_second_have_names_of_their_own() {
    let folder = folder();
    let mut names = Vec::new();
    for _ in 0..4 {
        let run = CurrentRun::begin(folder.path(), this(), "all", true).expect("it can be read");
        run.write_down().expect("it can be written");
        names.push(run.name().to_owned());
    }
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "{names:?}");
}

#[test]
fn nothing_is_written_before_something_was_measured() {
    let results = folder();
    let bench = bench(results.path()).expect("it can be read");
    bench.current_run().finish().expect("there is nothing to do");
    let written =
        fs::read_dir(bench.folder()).expect("it was locked").map(|entry| entry.unwrap().file_name());
    assert_eq!(written.collect::<Vec<_>>(), [lock::FILE]);
    bench.run(Experiment::Build, tiny(), true, &mut Quiet).expect("every answer is right");
    bench.current_run().finish().expect("it can be written");
    let written = runs::read(&results.path().join("host")).expect("it can be read");
    assert_eq!(written.len(), 1);
    assert!(written[0].finished && written[0].seconds("build", tiny().n).is_some());
    assert_eq!(written[0].machine, this());
    assert_eq!(written[0].run, bench.current_run().name());
    assert!(written[0].run.contains(&this().source()) && written[0].run.contains(&this().processor));
}

#[test]
fn the_program_knows_its_compiler_and_its_engine() {
    let machine = this();
    assert!(machine.compiler.starts_with("rustc "), "{machine:?}");
    assert!(machine.engine.starts_with("cubecl 0."), "{machine:?}");
    assert!(machine.built.ends_with('Z') && !machine.commit.is_empty(), "{machine:?}");
}

#[test]
fn samples_of_two_runs_are_not_mixed_and_the_last_run_counts() {
    let results = folder();
    let path = store::file(&results.path().join("host"), "build");
    let large = Scale { n: 1 << 9, ..tiny() };
    let first = bench(results.path()).expect("it can be read");
    let old = first.run(Experiment::Build, large, true, &mut Quiet).expect("every answer is right");
    first.current_run().finish().expect("it can be written");
    drop(first);
    let new = run(Experiment::Build, results.path()).expect("every answer is right");
    assert_eq!(new.len(), old.len());
    assert!(new.iter().all(|record| record.run != old[0].run && record.sample.n == tiny().n));
    let lines = fs::read_to_string(&path).expect("it was written").lines().count();
    assert_eq!(lines, old.len() + new.len(), "the file keeps both");
    let kept = Kept::read(&results.path().join("host"), "build").expect("it can be read");
    let kept = kept.expect("it was written");
    assert_eq!(kept.run, new[0].run, "the last run counts, also where it is smaller");
    assert_eq!(tables(Experiment::Build, &kept.summaries), tables(Experiment::Build, &summaries(&new)));
    let store = Store::open(&path, &new[0].run).expect("it can be opened");
    assert!(store.has(&new[0].sample, true) && !store.has(&old[0].sample, true));
}

#[test]
fn a_fresh_run_measures_everything_again() {
    let results = folder();
    let first = run(Experiment::Build, results.path()).expect("every answer is right");
    let fresh = Bench::new(&Device::host(), results.path(), "a test", true).expect("it can be read");
    let again = fresh.run(Experiment::Build, tiny(), true, &mut Quiet).expect("every answer is right");
    assert_eq!(first.len(), again.len());
    assert!(first.iter().zip(&again).all(|(one, other)| one.run != other.run && one.sample == other.sample));
}

/// Otherwise both would resume the same run, and its samples would be there twice.
#[test]
fn while_one_bench_writes_to_a_folder_another_is_refused() {
    let results = folder();
    let first = bench(results.path()).expect("nobody else writes there");
    let refused = bench(results.path()).expect_err("the first is not done");
    assert!(matches!(&refused, Error::Busy { folder } if folder == first.folder()), "{refused}");
    assert!(
        refused.to_string().contains("let it end, or choose another folder with `--results`"),
        "{refused}"
    );
    bench(&results.path().join("elsewhere")).expect("another folder is free");
    first.run(Experiment::Build, tiny(), true, &mut Quiet).expect("the first goes on");
    drop(first);
    bench(results.path()).expect("the first is done");
}
