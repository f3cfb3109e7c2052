//! GPUs on the bus, the files through which drivers reach them, and what a container hides, on Linux.

use super::finding::Finding;
use super::surroundings::Surroundings;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Makers of GPUs by the numbers of their PCI devices.
const MAKERS: [(&str, &str); 8] = [
    ("0x10de", NVIDIA),
    ("0x1002", "AMD"),
    ("0x8086", "Intel"),
    ("0x106b", "Apple"),
    ("0x1414", "Microsoft (virtual)"),
    ("0x15ad", "VMware (virtual)"),
    ("0x1af4", "virtio (virtual)"),
    ("0x1234", "QEMU (virtual)"),
];
const NVIDIA: &str = "NVIDIA";

pub(super) fn findings(around: &Surroundings) -> Vec<Finding> {
    let gpus = on_the_bus(around);
    let mut findings = vec![bus(&gpus, around)];
    findings.extend(files(around, !gpus.is_empty()));
    if gpus.iter().any(|maker| maker == NVIDIA) {
        findings.extend(nvidia(around));
    }
    findings.extend(container(around));
    findings
}

/// The maker of each display controller on the PCI bus.
fn on_the_bus(around: &Surroundings) -> Vec<String> {
    let devices = around.entries("/sys/bus/pci/devices").into_iter();
    let is_display =
        |device: &PathBuf| around.text(device.join("class")).is_some_and(|class| class.starts_with("0x03"));
    let maker = |device: PathBuf| {
        let number = around.text(device.join("vendor")).unwrap_or_else(|| "unknown".into());
        let known = MAKERS.iter().find(|(known, _)| *known == number);
        known.map_or(format!("maker {number}"), |(_, name)| (*name).into())
    };
    devices.filter(is_display).map(maker).collect()
}

fn bus(gpus: &[String], around: &Surroundings) -> Finding {
    match gpus {
        [] if around.exists("/dev/dxg") => {
            Finding::good("hardware", "a GPU of Windows, through WSL (/dev/dxg)")
        }
        [] if !render_files(around).is_empty() => {
            let file = render_files(around)[0].display().to_string();
            Finding::good("hardware", format!("not on the PCI bus, but reached by {file}"))
        }
        [] => Finding::bad(
            "hardware",
            "no GPU is on the PCI bus",
            "there is none in this machine, or the virtual machine was not given it",
        ),
        gpus => Finding::good("hardware", format!("on the PCI bus: {}", gpus.join(", "))),
    }
}

/// The files through which drivers render and compute.
fn files(around: &Surroundings, has_gpu: bool) -> Vec<Finding> {
    let mut files = render_files(around);
    let others = ["/dev/nvidiactl", "/dev/nvidia0", "/dev/kfd", "/dev/dxg"];
    files.extend(others.into_iter().map(PathBuf::from).filter(|path| around.exists(path)));
    if files.is_empty() && has_gpu {
        let text = "there is a GPU, but neither /dev/dri/renderD* nor /dev/nvidia0";
        let remedy = "load its kernel module; in a container, hand over the device (docker: `--gpus all` or \
                      `--device /dev/dri`)";
        return vec![Finding::bad("device files", text, remedy)];
    }
    files.iter().map(|path| opened(path, around.open(path))).collect()
}

fn render_files(around: &Surroundings) -> Vec<PathBuf> {
    let is_render =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("renderD"));
    around.entries("/dev/dri").into_iter().filter(is_render).collect()
}

fn opened(path: &Path, result: io::Result<()>) -> Finding {
    let shown = path.display();
    match result {
        Ok(()) => Finding::good("device files", format!("{shown} can be opened")),
        Err(error) => Finding::bad(
            "device files",
            format!("{shown} cannot be opened: {error}"),
            match error.kind() {
                ErrorKind::PermissionDenied => {
                    "add yourself to the group of the file, mostly `render` or `video`, and log in again"
                }
                _ => "see whether the driver's kernel module is loaded (`dmesg` says why not)",
            },
        ),
    }
}

/// NVIDIA's kernel module.
fn nvidia(around: &Surroundings) -> Option<Finding> {
    let version = around.text("/proc/driver/nvidia/version");
    let is_nouveau = around.exists("/sys/module/nouveau");
    Some(match version {
        Some(version) => Finding::good("NVIDIA's kernel module", version.lines().next().unwrap_or("loaded")),
        None if is_nouveau => Finding::good("NVIDIA's kernel module", "the free one, nouveau"),
        None => Finding::bad(
            "NVIDIA's kernel module",
            "it is not loaded",
            "install the driver, or load it by `modprobe nvidia`; after an update of the kernel, restart",
        ),
    })
}

/// A container, and what it was given of NVIDIA's driver.
fn container(around: &Surroundings) -> Option<Finding> {
    let marks = ["/.dockerenv", "/run/.containerenv"];
    if !marks.iter().any(|mark| around.exists(mark)) && around.variable("container").is_none() {
        return None;
    }
    let visible = around.variable("NVIDIA_VISIBLE_DEVICES").filter(|visible| visible != "void");
    let given = around.variable("NVIDIA_DRIVER_CAPABILITIES").unwrap_or_else(|| "compute,utility".into());
    let has_graphics = given.split(',').any(|one| ["all", "graphics"].contains(&one.trim()));
    Some(match visible {
        Some(_) if !has_graphics => Finding::bad(
            "container",
            format!("NVIDIA's driver was handed over for {given}, without Vulkan"),
            "start it with NVIDIA_DRIVER_CAPABILITIES=all, or with graphics among them",
        ),
        _ => {
            Finding::good("container", "this is one; it sees only the devices and drivers that it was given")
        }
    })
}
