//! `gpu-lsm compare`.

use crate::{gpu_lsm, text, unread, without_drivers};
use gpu_lsm_bench::compare::comparison::Comparison;
use gpu_lsm_bench::record::temporary::TemporaryFolder;
use std::fs;
use std::process::Stdio;

const SMALL: [&str; 5] = ["compare", "--log-n", "12", "--minutes", "0.001"];

#[test]
fn compare_shows_bars_says_what_to_use_and_leaves_a_picture_and_a_file_to_share() {
    let folder = TemporaryFolder::new("compare").expect("a folder can be made");
    let mut command = gpu_lsm(&SMALL);
    command.args(["--device", "host", "--picture", "mine.svg", "--share"]).current_dir(folder.path());
    let output = command.output().expect("the command starts");
    let shown = text(&output);
    assert!(output.status.success(), "{shown}");
    for word in
        ["comparing host", "insertion, M entries/s", "gpu-lsm on host", "hash_map", "█", "Use ", "n = 2^12"]
    {
        assert!(shown.contains(word), "{word} in {shown}");
    }
    let longest = String::from_utf8_lossy(&output.stdout).lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(100), "no terminal: {longest:?} letters\n{shown}");
    let picture = fs::read_to_string(folder.path().join("mine.svg")).expect("it was written");
    assert!(picture.starts_with("<svg") && picture.contains("gpu-lsm on host"));
    let community = folder.path().join("results/community");
    let files = fs::read_dir(&community).expect("it was made").filter_map(|file| Some(file.ok()?.path()));
    let file = files.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "json"));
    let json = fs::read_to_string(file.expect("a file is shared")).expect("it can be read");
    let shared: Comparison = serde_json::from_str(&json).expect("it is a comparison");
    assert_eq!((shared.n, shared.rounds), (4096, 3));
    assert!(shared.contenders[0].is_ours && shared.contenders[0].rows.len() == 10, "{json}");
    assert!(fs::read_to_string(community.join("README.md")).expect("a page").contains("## 20"));
}

/// Otherwise it would stand there as two that are alike.
#[test]
fn a_device_that_is_named_twice_is_compared_once() {
    let mut command = gpu_lsm(&SMALL);
    let output = without_drivers(command.args(["--device", "host,auto", "--markdown"])).output();
    let shown = text(&output.expect("the command starts"));
    assert!(shown.contains("| | gpu-lsm on host | "), "{shown}");
    assert!(shown.contains("comparing host with maps"), "{shown}");
}

#[test]
fn without_drivers_compare_says_so_and_measures_the_host() {
    let output = without_drivers(gpu_lsm(&SMALL).arg("--markdown")).output().expect("the command starts");
    let shown = text(&output);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("no GPU: `gpu-lsm doctor` says why"), "{shown}");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("| | gpu-lsm on host |"), "{shown}");
    let mut command = gpu_lsm(&SMALL);
    let output = without_drivers(command.args(["--device", "auto"])).output().expect("the command starts");
    let shown = text(&output);
    assert!(shown.contains("comparing host (because "), "auto is never the host in silence: {shown}");
}

#[cfg(feature = "wgpu")]
#[test]
fn a_gpu_stands_beside_the_host_with_its_driver() {
    let output = gpu_lsm(&SMALL).args(["--device", "gpu,host", "--markdown"]).output().expect("it starts");
    let shown = text(&output);
    assert!(output.status.success(), "{shown}");
    let head = shown.lines().find(|line| line.starts_with("| | ")).expect("there is a table");
    assert!(head.contains("| gpu-lsm on host |") && head.matches("gpu-lsm on").count() == 2, "{shown}");
    assert!(shown.contains("- gpu-lsm on ") && shown.contains("Vulkan"), "{shown}");
}

#[test]
fn nobody_reads_and_impossible_options_end_without_a_panic() {
    let folder = TemporaryFolder::new("unread").expect("a folder can be made");
    let mut command = gpu_lsm(&SMALL);
    command.args(["--device", "host", "--picture", "mine.svg"]).current_dir(folder.path());
    let output = unread(&mut command);
    assert!(output.status.success() && !text(&output).contains("panicked"), "{}", text(&output));
    let picture = fs::read_to_string(folder.path().join("mine.svg")).expect("it is written all the same");
    assert!(picture.starts_with("<svg"), "{picture}");
    // Progress and remarks, which nobody reads either.
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop((child.stdout.take(), child.stderr.take()));
    assert!(child.wait().expect("it ends").success());
    let output = gpu_lsm(&SMALL).args(["--picture", "nowhere/mine.svg"]).output().expect("it starts");
    assert!(!output.status.success() && !text(&output).contains("comparing"), "it fails before it measures");
    let output = gpu_lsm(&SMALL).args(["--picture", "mine.png"]).output().expect("it starts");
    assert!(
        !output.status.success() && text(&output).contains("mine.png: the picture is an SVG"),
        "{}",
        text(&output)
    );
    for impossible in [["--minutes", "nan"], ["--minutes", "0"], ["--log-n", "40"], ["--device", "abacus"]] {
        let output = gpu_lsm(&["compare"]).args(impossible).output().expect("it starts");
        let shown = text(&output);
        assert!(!output.status.success() && !shown.contains("panicked"), "{impossible:?}: {shown}");
    }
}

/// Otherwise minutes of measuring would be in vain.
#[test]
fn compare_tries_whether_it_can_share_before_it_measures() {
    let folder = TemporaryFolder::new("share").expect("a folder can be made");
    let community = folder.path().join("results/community");
    fs::create_dir_all(&community).expect("a folder can be made");
    fs::write(community.join("broken.json"), "{}").expect("a file can be written");
    let share = || {
        let mut command = gpu_lsm(&SMALL);
        command.args(["--device", "host", "--share"]).current_dir(folder.path());
        command.output().expect("it starts")
    };
    let shown = text(&share());
    assert!(shown.contains("broken.json, line 1: ") && !shown.contains("comparing"), "{shown}");
    fs::remove_file(community.join("broken.json")).expect("it can be deleted");
    fs::create_dir(community.join("README.md")).expect("a folder can be made");
    let shown = text(&share());
    assert!(shown.contains("README.md: ") && !shown.contains("comparing"), "{shown}");
    let left = fs::read_dir(&community).expect("it is there").count();
    assert_eq!(left, 1, "what was tried is not left");
}
