//! Vulkan's loader and the drivers that it would load, on Linux.

use super::finding::Finding;
use super::surroundings::Surroundings;
use serde_json::Value;
use std::path::{Path, PathBuf};

const LOADER: &str = "libvulkan.so.1";
/// Either lists the only drivers that the loader looks at; the first one that is set decides.
const ONLY: [&str; 2] = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];
/// Lists drivers that the loader looks at before the installed ones, unless one of those above is set.
const ADDING: &str = "VK_ADD_DRIVER_FILES";
/// Hide drivers by their names.
const HIDING: [&str; 2] = ["VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"];
const INSTALL: &str =
    "install your GPU's driver, or a software one such as mesa-vulkan-drivers, for trying things out";

pub(super) fn findings(around: &Surroundings) -> Vec<Finding> {
    let mut findings = vec![loader(around)];
    findings.extend(drivers(around));
    findings.extend(HIDING.iter().filter_map(|name| hidden(around, name)));
    findings
}

fn loader(around: &Surroundings) -> Finding {
    match library(around, LOADER) {
        Some(path) => Finding::good("Vulkan's loader", path.display().to_string()),
        None => Finding::bad(
            "Vulkan's loader",
            format!("{LOADER} was not found"),
            "install it (Debian, Ubuntu: libvulkan1; Fedora: vulkan-loader; Arch: vulkan-icd-loader)",
        ),
    }
}

fn hidden(around: &Surroundings, name: &str) -> Option<Finding> {
    let value = around.variable(name)?;
    Some(Finding::bad("Vulkan's drivers", format!("{name} is {value}"), "it hides drivers; unset it"))
}

fn drivers(around: &Surroundings) -> Vec<Finding> {
    let only = ONLY.into_iter().find(|name| around.variable(name).is_some());
    let variable = only.unwrap_or(ADDING);
    let (named, lost): (Vec<_>, Vec<_>) =
        around.listed(variable).into_iter().partition(|place| around.exists(place));
    let installed = if only.is_some() { Vec::new() } else { folders(around) };
    let files: Vec<_> = named.into_iter().chain(installed).flat_map(|place| files(around, place)).collect();
    let lost = lost.iter().map(|place| nothing_there(variable, place));
    let mut findings: Vec<_> = lost.chain(files.iter().map(|file| driver(around, file))).collect();
    if files.is_empty() && (only.is_none() || findings.is_empty()) {
        findings.push(Finding::bad("Vulkan's drivers", "no driver is installed", INSTALL));
    }
    findings
}

/// The descriptions of drivers in a folder, or a place itself that is none.
fn files(around: &Surroundings, place: PathBuf) -> Vec<PathBuf> {
    if !around.is_folder(&place) {
        return vec![place];
    }
    around.entries(&place).into_iter().filter(|file| file.extension() == Some("json".as_ref())).collect()
}

fn nothing_there(variable: &str, place: &Path) -> Finding {
    let text = format!("{variable} names {}, where no driver is", place.display());
    Finding::bad("Vulkan's drivers", text, "correct or unset it")
}

/// The folders with the descriptions of drivers that are there, of those that the loader's documentation lists.
fn folders(around: &Surroundings) -> Vec<PathBuf> {
    let home = around.variable("HOME").map(PathBuf::from);
    let below_home = |name: &str, usual: &str| {
        let set = around.variable(name).map(PathBuf::from);
        set.or_else(|| Some(home.as_ref()?.join(usual)))
    };
    let several = |name: &str, usual: &[&str]| match around.listed(name) {
        set if set.is_empty() => usual.iter().map(PathBuf::from).collect(),
        set => set,
    };
    let mut all: Vec<PathBuf> = below_home("XDG_CONFIG_HOME", ".config").into_iter().collect();
    all.extend(several("XDG_CONFIG_DIRS", &["/etc/xdg"]));
    all.extend(["/usr/local/etc", "/etc"].map(PathBuf::from));
    all.extend(below_home("XDG_DATA_HOME", ".local/share"));
    all.extend(several("XDG_DATA_DIRS", &["/usr/local/share", "/usr/share"]));
    let mut folders: Vec<_> = all.into_iter().map(|folder| folder.join("vulkan/icd.d")).collect();
    folders.dedup();
    folders.retain(|folder| around.is_folder(folder));
    folders
}

/// One driver: whether its description can be read, and whether its library is there.
fn driver(around: &Surroundings, file: &Path) -> Finding {
    let about = "Vulkan's drivers";
    let shown = file.display();
    let described = match around.bytes(file) {
        Ok(bytes) => serde_json::from_slice::<Value>(&bytes).ok(),
        Err(error) => {
            return Finding::bad(about, format!("{shown}: {error}"), "make it readable, or remove it");
        }
    };
    let path = described.as_ref().and_then(|value| value["ICD"]["library_path"].as_str());
    let Some(path) = path else {
        return Finding::bad(
            about,
            format!("{shown} does not describe a driver"),
            "install its package again",
        );
    };
    let beside = file.parent().unwrap_or(Path::new("/")).join(path);
    let found = match path.contains('/') {
        true => Some(beside).filter(|library| around.exists(library)),
        false => library(around, path),
    };
    match found {
        Some(library) => Finding::good(about, format!("{shown}: {}", library.display())),
        None => Finding::bad(
            about,
            format!("{shown} names the library {path}, which was not found"),
            "install the driver's package again, or remove the file",
        ),
    }
}

/// A shared library where the system's loader would find it by its name.
fn library(around: &Surroundings, name: &str) -> Option<PathBuf> {
    let mut folders = around.listed("LD_LIBRARY_PATH");
    let architecture = std::env::consts::ARCH;
    folders.extend(["/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib"].map(PathBuf::from));
    folders.extend(["/lib", "/usr/lib"].map(|lib| format!("{lib}/{architecture}-linux-gnu").into()));
    let known = folders.into_iter().map(|folder| folder.join(name)).chain(cached(around, name));
    known.into_iter().find(|path| around.exists(path))
}

/// The paths of a library in the system loader's cache, which ends every path with a zero byte.
fn cached(around: &Surroundings, name: &str) -> Vec<PathBuf> {
    let cache = around.bytes("/etc/ld.so.cache").unwrap_or_default();
    let texts = cache.split(|&byte| byte == 0).filter_map(|text| std::str::from_utf8(text).ok());
    texts
        .filter(|text| text.starts_with('/'))
        .map(PathBuf::from)
        .filter(|path| path.ends_with(name))
        .collect()
}
