//! Vulkan's loader and the drivers that it would load, on Linux.

use super::finding::Finding;
use super::surroundings::Surroundings;
use serde_json::Value;
use std::path::{Path, PathBuf};

const ABOUT: &str = "Vulkan's drivers";
const LOADER: &str = "libvulkan.so.1";
/// Either lists the only drivers that the loader looks at; the first one that is set decides, even if it is empty.
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
    Some(Finding::bad(ABOUT, format!("{name} is {value}"), "it hides drivers; unset it"))
}

fn drivers(around: &Surroundings) -> Vec<Finding> {
    if let Some(only) = ONLY.into_iter().find(|name| around.is_set(name)) {
        let findings = named(around, only);
        let nothing = || {
            vec![Finding::bad(
                ABOUT,
                format!("{only} is set, and names nothing"),
                "it hides all drivers; unset it",
            )]
        };
        return if findings.is_empty() { nothing() } else { findings };
    }
    let installed: Vec<_> = folders(around).iter().flat_map(|folder| files(around, folder)).collect();
    let mut findings = named(around, ADDING);
    if installed.is_empty() && !findings.iter().any(Finding::is_good) {
        findings.push(Finding::bad(ABOUT, "no driver is installed", INSTALL));
    }
    findings.extend(installed.iter().map(|file| driver(around, file)));
    findings
}

/// The drivers that a variable names, and the places that it names in vain.
fn named(around: &Surroundings, variable: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for place in around.listed(variable) {
        let files = files(around, &place);
        if files.is_empty() {
            let text = format!("{variable} names {}, where no driver is", place.display());
            findings.push(Finding::bad(ABOUT, text, "correct or unset it"));
        }
        findings.extend(files.iter().map(|file| driver(around, file)));
    }
    findings
}

/// The descriptions of drivers in a folder, or a file itself.
fn files(around: &Surroundings, place: &Path) -> Vec<PathBuf> {
    if around.is_folder(place) {
        let is_description = |file: &PathBuf| file.extension() == Some("json".as_ref());
        return around.entries(place).into_iter().filter(is_description).collect();
    }
    if around.exists(place) { vec![place.into()] } else { Vec::new() }
}

/// The folders with the descriptions of drivers, as the loader's documentation lists them.
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
    folders
}

/// One driver: whether its description can be read, and whether its library is there.
fn driver(around: &Surroundings, file: &Path) -> Finding {
    let shown = file.display();
    let described = match around.bytes(file) {
        Ok(bytes) => serde_json::from_slice::<Value>(&bytes).ok(),
        Err(error) => {
            return Finding::bad(ABOUT, format!("{shown}: {error}"), "make it readable, or remove it");
        }
    };
    let path = described.as_ref().and_then(|value| value["ICD"]["library_path"].as_str());
    let Some(path) = path else {
        return Finding::bad(
            ABOUT,
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
        Some(library) => Finding::good(ABOUT, format!("{shown}: {}", library.display())),
        None => Finding::bad(
            ABOUT,
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
