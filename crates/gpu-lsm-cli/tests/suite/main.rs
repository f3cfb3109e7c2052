//! The command as a user runs it.

#[cfg(feature = "bench")]
mod bench;

use std::process::{Command, Output};

fn gpu_lsm(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-lsm"));
    command.args(arguments);
    command
}

/// Hides all Vulkan drivers, as on a machine without any.
fn without_drivers(command: &mut Command) -> &mut Command {
    command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent")
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
    assert!(text.contains("host can be trusted: 18 of 18 checks passed"), "{text}");
}

#[test]
fn without_drivers_a_gpu_is_an_error_that_says_what_there_is() {
    let output = without_drivers(&mut gpu_lsm(&["check", "--device", "gpu"])).output().expect("it starts");
    let text = text(&output);
    assert!(!output.status.success());
    assert!(text.contains("no device is called \"gpu\"; there are: host"), "{text}");
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

    #[test]
    fn check_says_in_one_line_whether_the_gpu_can_be_trusted() {
        let output = gpu_lsm(&["check", "--device", "gpu"]).output().expect("the command starts");
        let text = text(&output);
        assert!(output.status.success(), "{text}");
        assert!(text.contains("can be trusted: 18 of 18 checks passed"), "{text}");
    }
}
