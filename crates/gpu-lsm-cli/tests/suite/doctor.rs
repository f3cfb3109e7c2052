//! `gpu-lsm doctor`.

use crate::{gpu_lsm, text, unread, with_a_broken_driver, without_drivers};
use serde_json::Value;
use std::process::Command;

fn json(command: &mut Command) -> Value {
    let output = command.output().expect("the command starts");
    assert!(output.status.success(), "{}", text(&output));
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

/// What was found of a matter, and what to do about it.
fn bad<'a>(report: &'a Value, about: &str) -> Vec<(&'a str, &'a str)> {
    let findings = report["findings"].as_array().expect("it is a list").iter();
    let bad = findings.filter(|finding| finding["about"] == about && finding["good"] == false);
    bad.map(|finding| (text_of(&finding["text"]), text_of(&finding["remedy"]))).collect()
}

fn text_of(value: &Value) -> &str {
    value.as_str().expect("it is text")
}

/// Without a terminal there is no progress bar, so nothing but the report is printed.
#[test]
fn the_host_is_examined_and_tested_also_without_a_terminal() {
    let output = gpu_lsm(&["doctor", "--device", "host"]).output().expect("the command starts");
    let shown = text(&output);
    assert!(output.status.success(), "{shown}");
    assert!(output.stderr.is_empty(), "{shown}");
    assert!(!shown.contains('\x1b'), "{shown:?}");
    for part in [
        concat!("gpu-lsm ", env!("CARGO_PKG_VERSION")),
        "features:",
        "\nhost ",
        "self-test: 20 of 20 checks passed",
        "\nauto takes ",
        "what a GPU needs here",
        "GPU engine: ",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(!shown.contains("kernels of one dictionary"), "the host has none: {shown}");
}

#[test]
fn a_program_reads_what_there_is_and_what_auto_takes() {
    let report = json(&mut gpu_lsm(&["doctor", "--json", "--no-test"]));
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    let features = report["features"].as_array().expect("it is a list");
    assert_eq!(features.contains(&"wgpu".into()), cfg!(feature = "wgpu"));
    assert_eq!(report["devices"][0]["device"], "host");
    assert!(report["devices"][0].get("self_test").is_none(), "it was not asked for");
    assert!(!text_of(&report["auto"]["because"]).is_empty());
    assert_eq!(bad(&report, "GPU engine").is_empty(), cfg!(feature = "wgpu"));
    assert!(!text_of(&report["verdict"]).is_empty());
}

#[test]
fn a_self_test_is_in_the_json_and_no_other_device_is_tested() {
    let report = json(&mut gpu_lsm(&["doctor", "--json", "--device", "host"]));
    let test = &report["devices"][0]["self_test"];
    assert_eq!((&test["passed"], &test["checks"]), (&true.into(), &20.into()), "{test}");
    assert!(test["seconds"].as_f64() > Some(0.0));
    let others = report["devices"].as_array().expect("it is a list")[1..].iter();
    assert!(others.clone().all(|device| device.get("self_test").is_none()), "{report}");
}

#[cfg(target_os = "linux")]
#[test]
fn without_drivers_it_names_the_variable_that_hides_them() {
    let report = json(without_drivers(&mut gpu_lsm(&["doctor", "--json", "--no-test"])));
    let expected = ("VK_DRIVER_FILES names /nonexistent, where no driver is", "correct or unset it");
    assert_eq!(bad(&report, "Vulkan's drivers"), [expected]);
    assert!(text_of(&report["verdict"]).starts_with("no hardware GPU can be used: "), "{report}");
    assert_eq!(report["auto"]["device"], "host");
}

#[cfg(target_os = "linux")]
#[test]
fn a_driver_whose_library_is_gone_is_named() {
    let file = std::env::temp_dir().join(format!("gpu-lsm-broken-{}.json", std::process::id()));
    let report = json(with_a_broken_driver(&mut gpu_lsm(&["doctor", "--json", "--no-test"]), &file));
    std::fs::remove_file(&file).expect("it can be deleted");
    let found = bad(&report, "Vulkan's drivers");
    let expected = "names the library /nonexistent/driver.so, which was not found";
    assert!(found.len() == 1 && found[0].0.ends_with(expected), "{found:?}");
    assert_eq!(report["devices"].as_array().map(Vec::len), Some(1), "only the host is left: {report}");
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let output = unread(&mut gpu_lsm(&["doctor", "--no-test"]));
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output));
}

#[test]
fn an_unknown_device_is_an_error() {
    let output = gpu_lsm(&["doctor", "--device", "abacus"]).output().expect("it starts");
    assert!(!output.status.success() && text(&output).contains("no device is called \"abacus\""));
}

#[cfg(feature = "wgpu")]
mod gpu {
    use super::json;
    use crate::gpu_lsm;

    #[test]
    fn a_gpu_is_tested_and_its_kernels_are_timed() {
        let report = json(&mut gpu_lsm(&["doctor", "--json", "--device", "gpu"]));
        let gpu = &report["devices"][1];
        assert_eq!(gpu["device"], "gpu:0");
        assert_eq!(gpu["self_test"]["passed"], true, "{report}");
        assert!(gpu["kernels_seconds"].as_f64() >= Some(0.0), "{report}");
        assert!(gpu["driver"].as_str().is_some_and(|driver| !driver.is_empty()), "{report}");
    }
}
