//! Every command where drivers are missing or broken, where there is no session, and where nobody reads. Only `store` is not here:
//! it uses no device, and has tests of its own.

use crate::{gpu_lsm, text, unread, with_a_broken_driver, without_drivers};
use gpu_lsm_bench::record::temporary::TemporaryFolder;
use std::process::{Command, Output};

/// Commands on all devices.
const ON_ALL: [&[&str]; 2] = [&["devices"], &["doctor", "--no-test"]];

/// A small run of each command that takes the name of a device.
const ON_ONE: [&[&str]; 3] = [
    &["check"],
    &["bench", "build", "--n", "1024", "--results", "here"],
    &["compare", "--log-n", "12", "--minutes", "0.001"],
];

/// Runs each command, and checks that it succeeds and says nothing that is not meant for users.
fn all_succeed(run: impl Fn(&mut Command) -> Output) {
    let folder = TemporaryFolder::new("situation").expect("a folder can be made");
    for arguments in ON_ALL.into_iter().chain(ON_ONE) {
        let output = run(gpu_lsm(arguments).current_dir(folder.path()));
        let shown = text(&output);
        assert!(output.status.success(), "{arguments:?}: {shown}");
        for noise in ["panicked", "Broken pipe", "XDG_RUNTIME_DIR", "ERROR", "\x1b"] {
            assert!(!shown.contains(noise), "{arguments:?} says {noise:?}: {shown}");
        }
    }
}

fn read(command: &mut Command) -> Output {
    command.output().expect("the command starts")
}

fn run_without_drivers(command: &mut Command) -> Output {
    read(without_drivers(command))
}

fn run_with_a_broken_driver(command: &mut Command) -> Output {
    let folder = TemporaryFolder::new("driver").expect("a folder can be made");
    read(with_a_broken_driver(command, &folder.path().join("broken.json")))
}

#[test]
fn all_commands_work_without_drivers() {
    all_succeed(run_without_drivers);
}

#[test]
fn all_commands_work_with_a_broken_driver() {
    all_succeed(run_with_a_broken_driver);
}

#[test]
fn all_commands_work_without_a_session() {
    // Cargo sets the second for tests, but not for those who have installed the command: .cargo/config.toml.
    all_succeed(|command| read(command.env_remove("XDG_RUNTIME_DIR").env_remove("NODEVICE_SELECT")));
}

#[test]
fn all_commands_end_quietly_if_nobody_reads() {
    all_succeed(unread);
}

/// Runs each command on a GPU that it names, and checks that none takes the host in silence.
fn none_finds_a_gpu(run: impl Fn(&mut Command) -> Output, why: &str) {
    let folder = TemporaryFolder::new("situation").expect("a folder can be made");
    let why = if cfg!(feature = "wgpu") { why } else { "built without a GPU engine" };
    for arguments in ON_ONE {
        let output = run(gpu_lsm(arguments).args(["--device", "gpu"]).current_dir(folder.path()));
        let shown = text(&output);
        assert!(output.status.code() == Some(1) && shown.contains(why), "{arguments:?}: {shown}");
    }
}

#[test]
fn no_command_finds_a_gpu_without_drivers() {
    none_finds_a_gpu(run_without_drivers, "VK_DRIVER_FILES names /nonexistent, where no driver is");
}

#[test]
fn no_command_finds_a_gpu_with_a_broken_driver() {
    none_finds_a_gpu(run_with_a_broken_driver, "broken.json, which offers no GPU");
}
