//! The files and environment variables that decide whether a program reaches a GPU. Tests have their own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A file system and an environment.
#[derive(Debug, Clone)]
pub(super) struct Surroundings {
    /// The folder that absolute paths start from.
    root: PathBuf,
    variables: BTreeMap<OsString, OsString>,
}

impl Surroundings {
    /// Those of this program.
    pub(super) fn here() -> Self {
        Self { root: "/".into(), variables: std::env::vars_os().collect() }
    }

    #[cfg(test)]
    pub(super) fn new(root: &Path, variables: &[(&str, &str)]) -> Self {
        let variables = variables.iter().map(|&(name, value)| (name.into(), value.into())).collect();
        Self { root: root.into(), variables }
    }

    /// A variable; `None` if it is empty.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let value = self.variables.get(name.as_ref() as &std::ffi::OsStr)?;
        Some(value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
    }

    /// Whether there is a variable, even an empty one.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.variables.contains_key(name.as_ref() as &std::ffi::OsStr)
    }

    /// The paths that a variable lists.
    pub(super) fn listed(&self, name: &str) -> Vec<PathBuf> {
        let value = self.variable(name).unwrap_or_default();
        std::env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect()
    }

    pub(super) fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.real(path.as_ref()).exists()
    }

    pub(super) fn is_folder(&self, path: impl AsRef<Path>) -> bool {
        self.real(path.as_ref()).is_dir()
    }

    pub(super) fn bytes(&self, path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
        fs::read(self.real(path.as_ref()))
    }

    /// A file's text without white space around it; `None` if it cannot be read.
    pub(super) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        Some(fs::read_to_string(self.real(path.as_ref())).ok()?.trim().to_owned())
    }

    /// What is in a folder, in order; nothing if it cannot be read.
    pub(super) fn entries(&self, folder: impl AsRef<Path>) -> Vec<PathBuf> {
        let folder = folder.as_ref();
        let found = fs::read_dir(self.real(folder)).into_iter().flatten().flatten();
        let mut entries: Vec<_> = found.map(|entry| folder.join(entry.file_name())).collect();
        entries.sort();
        entries
    }

    /// Opens a file for reading and writing, as drivers open those of devices.
    pub(super) fn open(&self, path: impl AsRef<Path>) -> io::Result<()> {
        OpenOptions::new().read(true).write(true).open(self.real(path.as_ref())).map(drop)
    }

    fn real(&self, path: &Path) -> PathBuf {
        match path.strip_prefix("/") {
            Ok(below) => self.root.join(below),
            Err(_) => path.into(),
        }
    }
}
