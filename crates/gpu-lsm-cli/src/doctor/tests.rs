//! Machines that are made of a folder and some variables.

use super::surroundings::Surroundings;
use super::trial::Trial;
use super::{Examined, finding::Finding, hardware, verdict, vulkan};
use crate::devices;
use gpu_lsm::{Device, Error};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that stands for the root of a file system, deleted when it is dropped.
struct Machine(PathBuf);

impl Machine {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = std::env::temp_dir().join(format!("gpu-lsm-doctor-{name}-{}", std::process::id()));
        fs::create_dir_all(&root).expect("a folder can be made");
        let machine = Self(root);
        files.iter().for_each(|(path, text)| machine.write(path, text));
        machine
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    fn with(&self, variables: &[(&str, &str)]) -> Surroundings {
        Surroundings::new(&self.0, variables)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the folder can be deleted");
    }
}

const LOADER: (&str, &str) = ("/usr/lib64/libvulkan.so.1", "");
const RADEON: (&str, &str) =
    ("/usr/share/vulkan/icd.d/radeon.json", r#"{"ICD": {"library_path": "/usr/lib64/libradeon.so"}}"#);

fn bad(findings: &[Finding]) -> Vec<&str> {
    findings.iter().filter(|finding| !finding.is_good()).map(|finding| finding.text.as_str()).collect()
}

#[test]
fn a_machine_with_loader_and_driver_lacks_nothing() {
    let machine = Machine::new("whole", &[LOADER, RADEON, ("/usr/lib64/libradeon.so", "")]);
    let findings = vulkan::findings(&machine.with(&[]));
    assert_eq!(bad(&findings), Vec::<&str>::new());
    assert_eq!(findings.len(), 2, "{findings:?}");
}

#[test]
fn an_empty_machine_lacks_loader_driver_and_hardware() {
    let machine = Machine::new("empty", &[]);
    let here = machine.with(&[]);
    assert_eq!(bad(&vulkan::findings(&here)), ["libvulkan.so.1 was not found", "no driver is installed"]);
    assert_eq!(bad(&hardware::findings(&here)), ["no GPU is on the PCI bus"]);
}

#[test]
fn a_loader_is_also_found_by_the_cache_and_by_a_variable() {
    let elsewhere = ("/opt/vulkan/libvulkan.so.1", "");
    let cache = ("/etc/ld.so.cache", "glibc-ld.so.cache1.1\0libvulkan.so.1\0/opt/vulkan/libvulkan.so.1\0");
    let machine = Machine::new("cache", &[elsewhere, cache]);
    assert!(vulkan::findings(&machine.with(&[]))[0].is_good());
    let machine = Machine::new("library-path", &[elsewhere]);
    assert!(!vulkan::findings(&machine.with(&[]))[0].is_good());
    assert!(vulkan::findings(&machine.with(&[("LD_LIBRARY_PATH", "/nowhere:/opt/vulkan")]))[0].is_good());
}

#[test]
fn a_driver_whose_library_is_gone_or_that_is_no_json_is_named() {
    let machine = Machine::new("broken", &[LOADER, RADEON, ("/etc/vulkan/icd.d/other.json", "not JSON")]);
    let findings = vulkan::findings(&machine.with(&[]));
    assert_eq!(
        bad(&findings),
        [
            "/etc/vulkan/icd.d/other.json does not describe a driver",
            "/usr/share/vulkan/icd.d/radeon.json names the library /usr/lib64/libradeon.so, which was not found",
        ]
    );
}

#[test]
fn a_library_beside_its_description_is_found() {
    let driver = ("/opt/driver/driver.json", r#"{"ICD": {"library_path": "./libdriver.so"}}"#);
    let machine = Machine::new("beside", &[LOADER, driver, ("/opt/driver/libdriver.so", "")]);
    let here = machine.with(&[("VK_DRIVER_FILES", "/opt/driver/driver.json")]);
    assert_eq!(bad(&vulkan::findings(&here)), Vec::<&str>::new());
    let folder = machine.with(&[("VK_ICD_FILENAMES", "/opt/driver")]);
    assert_eq!(vulkan::findings(&folder).len(), 2, "a folder stands for the files in it");
}

#[test]
fn variables_that_hide_drivers_are_named() {
    let machine = Machine::new("hidden", &[LOADER, RADEON, ("/usr/lib64/libradeon.so", "")]);
    let wrong = machine.with(&[("VK_ICD_FILENAMES", "/nonexistent")]);
    assert_eq!(bad(&vulkan::findings(&wrong)), ["VK_ICD_FILENAMES names /nonexistent, where no driver is"]);
    let both = machine.with(&[("VK_ICD_FILENAMES", "/nonexistent"), ("VK_DRIVER_FILES", RADEON.0)]);
    assert_eq!(bad(&vulkan::findings(&both)), Vec::<&str>::new(), "the newer variable decides");
    let disabled = machine.with(&[("VK_LOADER_DRIVERS_DISABLE", "*radeon*")]);
    assert_eq!(bad(&vulkan::findings(&disabled)), ["VK_LOADER_DRIVERS_DISABLE is *radeon*"]);
}

/// So it is with the loader, which looks for the variable and not for what is in it.
#[test]
fn an_empty_list_of_drivers_hides_all_of_them() {
    let machine = Machine::new("empty-list", &[LOADER, RADEON, ("/usr/lib64/libradeon.so", "")]);
    let said = |variables: &[(&str, &str)]| -> Vec<String> {
        bad(&vulkan::findings(&machine.with(variables))).into_iter().map(str::to_owned).collect()
    };
    assert_eq!(said(&[("VK_ICD_FILENAMES", "")]), ["VK_ICD_FILENAMES is set, and names nothing"]);
    let newer = [("VK_DRIVER_FILES", ""), ("VK_ICD_FILENAMES", RADEON.0), ("VK_ADD_DRIVER_FILES", RADEON.0)];
    assert_eq!(said(&newer), ["VK_DRIVER_FILES is set, and names nothing"]);
    assert_eq!(said(&[("VK_ADD_DRIVER_FILES", "")]), Vec::<String>::new());
}

#[test]
fn a_folder_without_drivers_that_a_variable_names_is_named() {
    let machine = Machine::new("bare-folder", &[LOADER, RADEON, ("/opt/bare/README", "")]);
    let here = machine.with(&[("VK_DRIVER_FILES", "/opt/bare")]);
    assert_eq!(bad(&vulkan::findings(&here)), ["VK_DRIVER_FILES names /opt/bare, where no driver is"]);
}

#[test]
fn a_variable_adds_drivers_to_those_that_are_installed() {
    let added = ("/opt/driver/driver.json", r#"{"ICD": {"library_path": "./libdriver.so"}}"#);
    let library = ("/opt/driver/libdriver.so", "");
    let machine = Machine::new("added", &[LOADER, RADEON, ("/usr/lib64/libradeon.so", ""), added, library]);
    let drivers = |variables: &[(&str, &str)]| -> Vec<String> {
        vulkan::findings(&machine.with(variables)).into_iter().skip(1).map(|finding| finding.text).collect()
    };
    let own = "/opt/driver/driver.json: /opt/driver/./libdriver.so";
    let radeon = "/usr/share/vulkan/icd.d/radeon.json: /usr/lib64/libradeon.so";
    for place in [added.0, "/opt/driver"] {
        assert_eq!(drivers(&[("VK_ADD_DRIVER_FILES", place)]), [own, radeon]);
    }
    for only in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        assert_eq!(
            drivers(&[("VK_ADD_DRIVER_FILES", added.0), (only, RADEON.0)]),
            [radeon],
            "{only} decides"
        );
    }
}

#[test]
fn a_variable_that_adds_no_driver_is_named_beside_what_is_installed() {
    let nowhere = [("VK_ADD_DRIVER_FILES", "/nonexistent")];
    let lost = "VK_ADD_DRIVER_FILES names /nonexistent, where no driver is";
    let machine = Machine::new("added-to-one", &[LOADER, RADEON, ("/usr/lib64/libradeon.so", "")]);
    assert_eq!(bad(&vulkan::findings(&machine.with(&nowhere))), [lost]);
    let machine = Machine::new("added-to-none", &[LOADER]);
    assert_eq!(bad(&vulkan::findings(&machine.with(&nowhere))), [lost, "no driver is installed"]);
}

const GEFORCE: [(&str, &str); 2] = [
    ("/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n"),
    ("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n"),
];

#[test]
fn a_card_without_module_and_files_says_so() {
    let machine = Machine::new("module", &GEFORCE);
    let findings = hardware::findings(&machine.with(&[]));
    assert_eq!(findings[0].text, "on the PCI bus: NVIDIA");
    assert_eq!(
        bad(&findings),
        ["there is a GPU, but neither /dev/dri/renderD* nor /dev/nvidia0", "it is not loaded"]
    );
}

#[test]
fn a_card_that_works_lacks_nothing_and_other_devices_of_the_bus_are_no_gpus() {
    let machine = Machine::new("card", &GEFORCE);
    machine.write("/sys/bus/pci/devices/0000:02:00.0/class", "0x020000\n");
    machine.write("/proc/driver/nvidia/version", "NVRM version: 570.00\nGCC version: 13\n");
    machine.write("/dev/dri/renderD128", "");
    machine.write("/dev/dri/card0", "");
    machine.write("/dev/nvidia0", "");
    let findings = hardware::findings(&machine.with(&[]));
    let texts: Vec<_> = findings.iter().map(|finding| finding.text.as_str()).collect();
    let files = ["/dev/dri/renderD128 can be opened", "/dev/nvidia0 can be opened"];
    assert_eq!(texts, ["on the PCI bus: NVIDIA", files[0], files[1], "NVRM version: 570.00"]);
    assert!(bad(&findings).is_empty());
}

/// As in machines whose GPU is no card: an Apple M, a Jetson, a Raspberry Pi.
#[test]
fn a_gpu_that_is_not_on_the_bus_is_one() {
    let machine = Machine::new("soc", &[("/dev/dri/renderD128", "")]);
    let findings = hardware::findings(&machine.with(&[]));
    assert!(bad(&findings).is_empty(), "{findings:?}");
    assert_eq!(findings[0].text, "not on the PCI bus, but reached by /dev/dri/renderD128");
}

/// A folder cannot be opened for writing by anybody.
#[test]
fn a_device_file_that_cannot_be_opened_is_named() {
    let machine = Machine::new("closed", &[("/dev/dri/renderD128/file", "")]);
    let findings = hardware::findings(&machine.with(&[]));
    let closed = findings.iter().find(|finding| finding.about == "device files").expect("it is found");
    assert!(closed.text.starts_with("/dev/dri/renderD128 cannot be opened: "), "{closed:?}");
    assert!(!closed.is_good());
}

#[test]
fn a_container_says_what_it_was_given() {
    let machine = Machine::new("container", &[("/.dockerenv", "")]);
    let of = |variables: &[(&str, &str)]| {
        let findings = hardware::findings(&machine.with(variables));
        findings.into_iter().find(|finding| finding.about == "container").expect("it is one")
    };
    assert!(of(&[]).is_good());
    let all = ("NVIDIA_VISIBLE_DEVICES", "all");
    assert_eq!(of(&[all]).text, "NVIDIA's driver was handed over for compute,utility, without Vulkan");
    assert!(of(&[all, ("NVIDIA_DRIVER_CAPABILITIES", "compute, graphics")]).is_good());
    assert!(of(&[all, ("NVIDIA_DRIVER_CAPABILITIES", "all")]).is_good());
}

/// The host stands for a card.
#[test]
fn a_card_that_fails_its_self_test_is_the_reason_why_none_can_be_used() {
    let host = Device::host();
    let mut listed = devices::all(&host).swap_remove(0);
    listed.info.kind = "discrete GPU";
    let trial = Trial::failed(Error::Untrustworthy { step: "a sum" });
    let said = verdict(&[Examined { listed, trial: Some(trial) }], &[]);
    assert!(
        said.starts_with("no hardware GPU can be used: ") && said.contains("a sum gives wrong results"),
        "{said}"
    );
}
