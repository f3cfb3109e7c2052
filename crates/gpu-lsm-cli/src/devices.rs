//! `gpu-lsm devices`: a table of the available devices.

use gpu_lsm::{Device, DeviceInfo, Limits};

pub(crate) fn print() {
    println!("{:<8} {:<40} {:<8} {:<15} driver and limits", "device", "name", "API", "kind");
    for info in Device::list() {
        let limits = match info.selector.parse::<Device>() {
            Ok(device) => describe(&device.limits()),
            Err(error) => format!("cannot be opened: {error}"),
        };
        println!("{}", row(&info, &limits));
    }
}

fn row(info: &DeviceInfo, limits: &str) -> String {
    let DeviceInfo { selector, name, api, kind, driver, .. } = info;
    let indent = " ".repeat(75);
    format!("{selector:<8} {name:<40} {api:<8} {kind:<15} {driver}\n{indent}{limits}")
}

fn describe(limits: &Limits) -> String {
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
