//! The engine's settings: no file in the directory that a program was started in changes them.

use crate::child;
use crate::support::gpu;
use gpu_lsm::Dictionary;
use std::path::PathBuf;
use std::process::Command;

/// A directory that is removed when this is dropped.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gpu-lsm-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

const LOG: &str = "engine.log";

/// Compiles kernels, which the engine logs if it is told to.
fn has_logged_kernels() -> bool {
    Dictionary::<u32, u32>::new(&gpu()).unwrap().insert(&[1], &[2]).unwrap();
    std::fs::exists(LOG).unwrap()
}

#[test]
fn the_gpu_is_not_configured_by_a_file_in_the_working_directory() {
    let directory = Directory::new("file");
    let settings = format!("[compilation.logger]\nlevel = \"full\"\nfile = \"{LOG}\"\n");
    for name in ["cubecl.toml", "burn.toml"] {
        let section = if name == "burn.toml" { settings.replace("[", "[cubecl.") } else { settings.clone() };
        std::fs::write(directory.0.join(name), section).unwrap();
    }
    let prepare = |child: &mut Command| {
        child.current_dir(&directory.0);
    };
    let name = concat!(module_path!(), "::the_gpu_is_not_configured_by_a_file_in_the_working_directory");
    child::run(name, prepare, || assert!(!has_logged_kernels(), "the engine has read the file"));
}

#[test]
fn the_gpu_is_configured_by_variables_of_the_environment() {
    let directory = Directory::new("environment");
    let prepare = |child: &mut Command| {
        child.current_dir(&directory.0).env("CUBECL_DEBUG_LOG", LOG);
    };
    let name = concat!(module_path!(), "::the_gpu_is_configured_by_variables_of_the_environment");
    child::run(name, prepare, || assert!(has_logged_kernels(), "the engine has not read the variable"));
}
