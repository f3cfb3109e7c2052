//! Tests in processes of their own: what they do, they do to a whole process.

use std::process::Command;

const CHILD: &str = "GPU_LSM_TEST_CHILD";
const DONE: &str = "the child has come to its end";

/// Runs `body` in a process of its own, which `prepare` sets up: this program again, with no test but the one of this
/// name, as [`module_path`] and the test's own name make it.
pub(crate) fn run(test: &str, prepare: impl FnOnce(&mut Command), body: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some() {
        body();
        println!("{DONE}");
        return;
    }
    let (_, name) = test.split_once("::").unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", name, "--nocapture"]).env(CHILD, "1");
    // A backtrace takes memory, which some of the tests have none of.
    child.env("RUST_BACKTRACE", "0");
    prepare(&mut child);
    let output = child.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // A name that is no test's would end well too.
    assert!(output.status.success() && out.contains(DONE), "{}:\n{out}\n{err}", output.status);
}
