//! Passes the commit, compiler and engine that the bench is built from to its code, as far as they are known, for its
//! records.

use std::path::Path;
use std::process::Command;

/// The measured sources. After a change in them the recorded commit may be outdated.
const SOURCES: [&str; 6] = [
    "src",
    "../gpu-lsm/src",
    "../gpu-lsm-baselines/src",
    "../gpu-lsm-primitives/src",
    "../gpu-lsm-rivals/src",
    "../../Cargo.lock",
];

fn main() {
    for path in SOURCES.into_iter().filter(|path| Path::new(path).exists()) {
        println!("cargo::rerun-if-changed={path}");
    }
    // Every commit and checkout adds a line to this file.
    let log = output("git", &["rev-parse", "--git-path", "logs/HEAD"]);
    if let Some(log) = log.filter(|path| Path::new(path).exists()) {
        println!("cargo::rerun-if-changed={log}");
    }
    tell("GPU_LSM_COMMIT", commit());
    tell("GPU_LSM_COMPILER", std::env::var("RUSTC").ok().and_then(|rustc| output(&rustc, &["--version"])));
    tell("GPU_LSM_ENGINE", engine());
}

fn tell(name: &str, value: Option<String>) {
    if let Some(value) = value {
        println!("cargo::rustc-env={name}={value}");
    }
}

/// The commit, and whether there were uncommitted changes. A published package has a file with its commit; the repository
/// around it, if there is one, is somebody else's.
fn commit() -> Option<String> {
    if let Ok(packaged) = std::fs::read_to_string(".cargo_vcs_info.json") {
        let hash = packaged.split_once("\"sha1\": \"")?.1.split('"').next()?;
        let changes = if packaged.contains("\"dirty\": true") { " with changes" } else { "" };
        return Some(format!("{}{changes}", hash.get(..12)?));
    }
    let commit = output("git", &["rev-parse", "--short=12", "HEAD"])?;
    let changes = output("git", &["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changes.is_empty() { commit } else { commit + " with changes" })
}

/// The engine and its version, from the lock file.
fn engine() -> Option<String> {
    let lock = std::fs::read_to_string("../../Cargo.lock").ok()?;
    let mut lines = lock.lines().skip_while(|line| *line != "name = \"cubecl\"");
    let version = lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')?;
    Some(format!("cubecl {version}"))
}

/// The output of a command, if it exists and succeeds.
fn output(command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
