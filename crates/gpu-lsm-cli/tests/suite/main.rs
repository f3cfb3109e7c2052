//! The command as a user runs it.

#[cfg(feature = "bench")]
mod bench;
#[cfg(feature = "bench")]
mod compare;
mod doctor;
#[cfg(feature = "bench")]
mod situations;
#[cfg(feature = "store")]
mod store;

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn gpu_lsm(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-lsm"));
    command.args(arguments);
    command
}

/// Hides all Vulkan drivers, as on a machine without any.
fn without_drivers(command: &mut Command) -> &mut Command {
    command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent")
}

/// Leaves one Vulkan driver, which this file says is in a library that does not exist.
fn with_a_broken_driver<'a>(command: &'a mut Command, file: &Path) -> &'a mut Command {
    let driver = r#"{"ICD": {"library_path": "/nonexistent/driver.so", "api_version": "1.3.0"}}"#;
    fs::write(file, driver).expect("a file can be written");
    command.env("VK_DRIVER_FILES", file).env("VK_ICD_FILENAMES", file)
}

/// Runs a command whose standard output nobody reads.
fn unread(command: &mut Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    child.wait_with_output().expect("it ends")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn without_drivers_only_the_host_is_listed_and_never_opengl() {
    let output = without_drivers(&mut gpu_lsm(&["devices"])).output().expect("the command starts");
    let text = text(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("\nhost ") && !text.contains("gpu:0") && !text.contains("llvmpipe"), "{text}");
}

#[test]
fn without_drivers_auto_is_the_host_and_it_can_be_trusted() {
    let output = without_drivers(&mut gpu_lsm(&["check"])).output().expect("the command starts");
    let text = text(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.starts_with("on host, because "), "it names its device first: {text}");
    assert!(text.contains("host can be trusted: 20 of 20 checks passed"), "{text}");
}

#[test]
fn without_drivers_a_gpu_is_an_error_that_says_what_to_do() {
    let lack = "there is no GPU: VK_DRIVER_FILES names /nonexistent, where no driver is; correct or unset it";
    let (gpu, vulkan) = match cfg!(feature = "wgpu") {
        true => (lack, lack),
        false => (
            "built without a GPU engine; build it with the feature `wgpu`",
            "with the feature `wgpu` of gpu-lsm",
        ),
    };
    for (name, expected) in [("gpu", gpu), ("gpu:1", gpu), ("vulkan", vulkan)] {
        let output = without_drivers(&mut gpu_lsm(&["check", "--device", name])).output().expect("it starts");
        let text = text(&output);
        assert!(!output.status.success() && text.contains(expected), "{name}: {text}");
    }
}

#[test]
fn an_unknown_device_is_an_error_that_says_what_there_is() {
    let output = gpu_lsm(&["check", "--device", "abacus"]).output().expect("it starts");
    let text = text(&output);
    assert!(!output.status.success());
    assert!(text.contains("no device is called \"abacus\"; there are: host"), "{text}");
}

#[cfg(not(feature = "cuda"))]
#[test]
fn an_api_that_is_not_compiled_in_is_an_error_that_names_the_feature() {
    let output = gpu_lsm(&["check", "--device", "CUDA"]).output().expect("it starts");
    let text = text(&output);
    assert!(!output.status.success());
    assert!(text.contains("\"CUDA\" needs a program with the feature `cuda`"), "{text}");
}

#[test]
fn the_version_has_the_features_of_the_build() {
    let text = text(&gpu_lsm(&["--version"]).output().expect("it starts"));
    assert!(text.contains(env!("CARGO_PKG_VERSION")) && text.contains("features:"), "{text}");
    assert_eq!(text.contains("wgpu"), cfg!(feature = "wgpu"), "{text}");
}

/// As with `gpu-lsm devices | head -1`, where `head` ends first.
#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let output = unread(&mut gpu_lsm(&["devices"]));
    assert!(output.status.success(), "{}", text(&output));
    assert!(!text(&output).contains("panicked"), "{}", text(&output));
}

/// How a command ends depends on what it finds, not on whether somebody reads that.
#[test]
fn a_failure_is_one_even_if_nobody_reads_it() {
    let mut command = gpu_lsm(&["check", "--device", "abacus"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().expect("it ends").code(), Some(1), "and it does not panic, which would be 101");
}

#[test]
fn devices_can_be_read_by_programs() {
    let output = gpu_lsm(&["devices", "--json"]).output().expect("it starts");
    let devices: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let devices = devices.as_array().expect("it is a list");
    assert_eq!(devices[0]["device"], "host");
    assert!(devices[0]["entries_u32"].as_u64() > Some(1 << 30), "{devices:?}");
    assert_eq!(devices.iter().filter(|device| device["is_default"] == true).count(), 1);
    #[cfg(target_os = "linux")]
    assert!(devices[0]["memory_bytes"].as_u64() > Some(1 << 20), "{devices:?}");
}

#[cfg(feature = "wgpu")]
mod gpu {
    use super::{gpu_lsm, text};

    #[test]
    fn devices_lists_the_gpu_with_api_driver_and_limits() {
        let text = text(&gpu_lsm(&["devices"]).output().expect("the command starts"));
        for word in ["host", "gpu:0", "entries of 32-bit keys", "planes of"] {
            assert!(text.contains(word), "{word} in {text}");
        }
    }

    /// The driver's own layer complains without this variable.
    #[test]
    fn a_missing_folder_of_the_session_makes_no_noise_on_gpu() {
        let mut command = gpu_lsm(&["devices"]);
        // The second is what `cargo` sets here for examples.
        command.env_remove("XDG_RUNTIME_DIR").env_remove("NODEVICE_SELECT");
        let text = text(&command.output().expect("the command starts"));
        assert!(text.contains("gpu:0") && !text.contains("XDG_RUNTIME_DIR"), "{text}");
    }

    /// These tests run on machines with a software driver; with a hardware GPU, `auto` takes that.
    #[test]
    fn auto_says_why_it_takes_the_host_or_a_gpu() {
        let text = text(&gpu_lsm(&["devices"]).output().expect("the command starts"));
        let is_software = text.contains("software");
        let reason = text.lines().last().expect("there are lines");
        let host = "auto takes host, because there is no hardware GPU, only the software driver";
        assert!(reason.starts_with(host) || (!is_software && reason.contains("best hardware GPU")), "{text}");
    }

    #[test]
    fn an_api_is_a_device_if_a_gpu_is_reached_by_it() {
        let listed = text(&gpu_lsm(&["devices"]).output().expect("the command starts"));
        let output = gpu_lsm(&["check", "--device", "metal"]).output().expect("the command starts");
        assert_eq!(output.status.success(), listed.contains(" Metal "), "{}", text(&output));
    }

    #[test]
    fn check_says_in_one_line_whether_the_gpu_can_be_trusted() {
        let output = gpu_lsm(&["check", "--device", "gpu"]).output().expect("the command starts");
        let text = text(&output);
        assert!(output.status.success(), "{text}");
        assert!(text.contains("can be trusted: 20 of 20 checks passed"), "{text}");
    }
}
