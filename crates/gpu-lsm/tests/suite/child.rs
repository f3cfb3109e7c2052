//! Tests that run in a process of their own, because they affect the whole process.

use std::process::Command;

const CHILD: &str = "GPU_LSM_TEST_CHILD";
const DONE: &str = "the child has come to its end";

/// Runs `body` in a process of its own, which `prepare` sets up. The process is this program again, running only the
/// test with this name: [`module_path`] and the name of the test function.
pub(crate) fn run(test: &str, prepare: impl FnOnce(&mut Command), body: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some() {
        body();
        println!("{DONE}");
        return;
    }
    let (_, name) = test.split_once("::").unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", name, "--nocapture"]).env(CHILD, "1");
    // A backtrace needs memory, of which some of the tests have none.
    child.env("RUST_BACKTRACE", "0");
    prepare(&mut child);
    let output = child.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // A child that found no test of this name would succeed too.
    assert!(output.status.success() && out.contains(DONE), "{}:\n{out}\n{err}", output.status);
}
