//! `gpu-lsm devices`: the available devices.

use crate::output::say;
use gpu_lsm::{Device, DeviceInfo, Limits};
use serde_json::{Value, json};

/// A listed device, and the open one or the reason why it cannot be opened.
pub(crate) struct Listed {
    pub(crate) info: DeviceInfo,
    pub(crate) opened: Result<Device, gpu_lsm::Error>,
    /// Whether it is the one that `auto` takes.
    is_default: bool,
}

/// What precedes a line that goes on about a device.
pub(crate) const INDENT: &str = "         ";

pub(crate) fn print(as_json: bool) {
    let auto = Device::auto();
    let listed = all(&auto);
    if as_json {
        say!("{:#}", json!(listed.iter().map(to_json).collect::<Vec<_>>()));
        return;
    }
    say!("{:<8} {:<40} {:<8} {:<15} driver and memory; limits below", "device", "name", "API", "kind");
    listed.iter().for_each(print_row);
    say!("auto takes {}, because {}", auto.name(), auto.reason().unwrap_or("it was asked for"));
}

/// All devices, opened.
pub(crate) fn all(auto: &Device) -> Vec<Listed> {
    Device::list().into_iter().map(|info| listed(info, auto)).collect()
}

fn listed(info: DeviceInfo, auto: &Device) -> Listed {
    let opened = info.selector.parse::<Device>();
    let is_default = opened.as_ref().is_ok_and(|device| device == auto);
    Listed { info, opened, is_default }
}

pub(crate) fn print_row(listed: &Listed) {
    let DeviceInfo { selector, name, api, kind, driver, memory, .. } = &listed.info;
    let memory =
        memory.map_or(String::new(), |bytes| format!(", {:.1} GiB", bytes as f64 / f64::from(1 << 30)));
    say!("{selector:<8} {name:<40} {api:<8} {kind:<15} {driver}{memory}");
    match &listed.opened {
        Ok(device) => say!("{INDENT}{}", described(&device.limits())),
        Err(error) => say!("{INDENT}cannot be opened: {error}"),
    }
}

fn described(limits: &Limits) -> String {
    let planes = limits.plane_sizes.map_or(String::new(), |(min, max)| match min == max {
        true => format!(", planes of {min}"),
        false => format!(", planes of {min} to {max}"),
    });
    let wide = match limits.has_u64_keys {
        true => format!("{} of 64-bit keys", limits.entries_u64),
        false => "no 64-bit keys".into(),
    };
    format!("at most {} entries of 32-bit keys, {wide}{planes}", limits.entries_u32)
}

pub(crate) fn to_json(listed: &Listed) -> Value {
    let DeviceInfo { selector, name, api, kind, driver, memory, .. } = &listed.info;
    let mut value = json!({
        "device": selector, "name": name, "api": api, "kind": kind, "driver": driver, "memory_bytes": memory,
        "is_default": listed.is_default,
    });
    match &listed.opened {
        Ok(device) => {
            let limits = device.limits();
            value["entries_u32"] = json!(limits.entries_u32);
            value["entries_u64"] = json!(limits.has_u64_keys.then_some(limits.entries_u64));
            value["plane_sizes"] = json!(limits.plane_sizes);
        }
        Err(error) => value["error"] = json!(error.to_string()),
    }
    value
}
