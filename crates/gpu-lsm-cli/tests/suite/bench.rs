//! `gpu-lsm bench`.

use crate::{gpu_lsm, text};
use gpu_lsm_bench::record::temporary::TemporaryFolder;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

fn folder() -> TemporaryFolder {
    TemporaryFolder::new("test").expect("a folder can be made")
}

#[test]
fn bench_measures_verifies_and_leaves_records_plots_and_a_page() {
    let folder = folder();
    let mut command = gpu_lsm(&["bench", "lookup", "--device", "host", "--n", "1024", "--quick", "--verify"]);
    let output = command.current_dir(folder.path()).output().expect("the command starts");
    let shown = text(&output);
    assert!(output.status.success(), "{shown}");
    for word in ["Table III", "gpu-lsm", "paper_lsm", "every answer verified"] {
        assert!(shown.contains(word), "{word} in {shown}");
    }
    let quick = folder.path().join("results/quick");
    assert!(quick.join("host/lookup.jsonl").exists() && quick.join("host/lookup-all.svg").exists());
    let mut report = gpu_lsm(&["bench", "report", "--quick"]);
    let output = report.current_dir(folder.path()).output().expect("the command starts");
    assert!(output.status.success(), "{}", text(&output));
    assert!(quick.join("report.html").exists());
}

#[test]
fn the_whole_bench_ends_with_a_summary_and_says_how_far_it_is_without_a_terminal() {
    let folder = folder();
    let mut command = gpu_lsm(&["bench", "all", "--device", "host", "--n", "256", "--quick"]);
    let output = command.current_dir(folder.path()).output().expect("the command starts");
    let (shown, progress) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{shown}{progress}");
    assert!(
        progress.contains("1 of 13: insert 0/") && progress.contains("13 of 13: traffic 0/"),
        "{progress}"
    );
    for part in ["lookup, none exist", "sliding window", "256*", "On host, ", "times"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(shown.lines().count() < 40, "{shown}");
}

#[test]
fn a_command_that_came_to_its_end_is_a_run_and_the_next_is_another() {
    let folder = folder();
    let records = folder.path().join("results/quick/host/samples/build.jsonl");
    let lines = || std::fs::read_to_string(&records).expect("it was written").lines().count();
    let measure = || {
        let mut command = gpu_lsm(&["bench", "build", "--device", "host", "--n", "1024", "--quick"]);
        let output = command.current_dir(folder.path()).output().expect("the command starts");
        assert!(output.status.success(), "{}", text(&output));
    };
    measure();
    let of_one = lines();
    measure();
    assert_eq!(lines(), 2 * of_one);
    let path = folder.path().join("results/quick/host/runs.json");
    let runs = std::fs::read_to_string(&path).expect("it was written");
    assert_eq!(runs.matches("\"finished\": true").count(), 2, "{runs}");
    // As if the second run had been interrupted before its last sample.
    let cut = runs.rfind("true").expect("it is there");
    std::fs::write(&path, format!("{}false{}", &runs[..cut], &runs[cut + 4..])).expect("it can be changed");
    let text = std::fs::read_to_string(&records).expect("it was written");
    let last = text.trim_end().rfind('\n').expect("there are several lines") + 1;
    std::fs::write(&records, &text[..last]).expect("it can be changed");
    measure();
    assert_eq!(lines(), 2 * of_one, "it went on with what was missing");
}

/// This also holds if the first is killed: its lock disappears with it.
#[test]
fn a_second_bench_on_the_same_results_is_refused_until_the_first_is_gone() {
    let folder = folder();
    let bench = |arguments: &[&str]| {
        let mut command = gpu_lsm(&["bench", "--device", "host", "--results", "here"]);
        command.args(arguments).current_dir(folder.path());
        command
    };
    let records = folder.path().join("here/host/samples/insert.jsonl");
    let mut first = bench(&["insert", "--n", "16777216"]);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the command starts");
    while !records.exists() {
        assert!(first.try_wait().expect("it can be asked").is_none(), "it would run for minutes");
        sleep(Duration::from_millis(10));
    }
    let second = bench(&["build", "--n", "1024"]).output().expect("the command starts");
    first.kill().and_then(|()| first.wait()).expect("it can be ended");
    assert!(
        !second.status.success() && text(&second).contains("another bench writes to here"),
        "{}",
        text(&second)
    );
    assert!(!folder.path().join("here/host/samples/build.jsonl").exists(), "the second has written nothing");
    let third = bench(&["build", "--n", "1024"]).output().expect("the command starts");
    assert!(third.status.success(), "{}", text(&third));
}

#[test]
fn the_numbers_in_the_documents_are_those_of_the_results() {
    let project = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut command = gpu_lsm(&["bench", "report", "--markdown", "--check"]);
    let output = command.current_dir(project).output().expect("the command starts");
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn bench_says_which_experiments_there_are_and_which_sizes() {
    let folder = folder();
    let run = |arguments: &[&str]| {
        let output = gpu_lsm(arguments).current_dir(folder.path()).output().expect("the command starts");
        assert!(!output.status.success());
        text(&output)
    };
    for minutes in ["nan", "inf", "0", "soon"] {
        assert!(run(&["bench", "all", "--minutes", minutes]).contains("invalid value"), "{minutes}");
    }
    assert!(run(&["bench", "report"]).contains("there are no results"));
    let said = run(&["bench", "nothing"]);
    assert!(
        said.contains("there are: insert, batch-time") && said.contains("all, gate and report"),
        "{said}"
    );
    for size in ["1000", "128", "4294967296", "18446744073709551615"] {
        let said = run(&["bench", "steady", "--device", "host", "--n", size]);
        assert!(said.contains("a power of two, 256 at least and 2^29 at most"), "{said}");
    }
    let unread: [&[&str]; 7] = [
        &["gate", "--verify"],
        &["gate", "--minutes", "5"],
        &["report", "--fresh"],
        &["report", "--device", "gpu"],
        &["build", "--accept"],
        &["all", "--markdown"],
        &["build", "--b", "1024", "--n", "4096"],
    ];
    for arguments in unread {
        let said = run(&[&["bench"], arguments].concat());
        let refused = format!("`bench {}` takes no {}", arguments[0], arguments[1]);
        assert!(said.contains(&refused), "{refused} in {said}");
    }
    assert!(run(&["bench", "lookup", "--b", "256"]).contains("--n <N>"), "a size is of an n");
    let said = run(&["bench", "lookup", "--device", "host", "--n", "1048576", "--b", "256"]);
    assert!(said.contains("no batches of such a size"), "{said}");
}

#[test]
fn the_whole_bench_goes_on_if_an_experiment_has_no_batches_of_a_size() {
    let folder = folder();
    let arguments = ["bench", "all", "--device", "host", "--n", "2048", "--quick", "--b", "16"];
    let mut command = gpu_lsm(&arguments);
    let output = command.current_dir(folder.path()).output().expect("the command starts");
    let shown = text(&output);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("insert: n = 2048, 0 samples") && shown.contains("traffic: n = 2048"), "{shown}");
}
