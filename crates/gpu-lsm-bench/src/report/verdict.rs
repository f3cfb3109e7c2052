//! What the results come to: all devices side by side, and a sentence for each.

use crate::measure::adapters::ours::GpuLsm;
use crate::measure::structure::Structure;
use crate::report::overview::OPERATIONS;
use crate::report::results::Results;
use crate::report::table::{Table, short, size};

/// Fewer entries than this fit into the caches of most devices.
const FEW: usize = 1 << 20;
/// What is this near to the fastest is as good as it: the same program measured twice differs by as much.
pub(crate) const CLOSE: f64 = 0.95;
const NOTE: &str = "M operations/s, means over all batch sizes, and how many times as fast that is as the fastest other \
    structure on the same device in the same run. *: of so few entries that caches hold them; more may come out otherwise.";

/// The number of entries, marked if it is too small to say much.
pub(crate) fn marked(n: usize) -> String {
    let mark = if n < FEW { "*" } else { "" };
    format!("{}{mark}", size(n))
}

/// Our rates on all devices, each beside the fastest other.
pub fn side_by_side(devices: &[Results]) -> Table {
    let mut table = Table::new("", NOTE, &["operation"]);
    for device in devices {
        table.header.extend(["n".into(), format!("{} on {}", GpuLsm::NAME, device.device()), "times".into()]);
    }
    for operation in OPERATIONS {
        let mut row = vec![operation.name.to_owned()];
        for device in devices {
            let Some((n, ours)) = operation.ours(device) else {
                row.extend(["-", "-", "-"].map(str::to_owned));
                continue;
            };
            let other = operation.fastest_other(device);
            let times = other.map_or("-".into(), |(name, rate)| format!("{} {name}", short(ours / rate)));
            row.extend([marked(n), short(ours / 1e6), times]);
        }
        table.rows.push(row);
    }
    table
}

/// A sentence: at what ours is the fastest on a device, and at what something else is. Empty if nothing is known.
pub fn verdict(device: &Results) -> String {
    let (mut won, mut lost) = (Vec::new(), Vec::new());
    for operation in OPERATIONS {
        let known = operation.ours(device).zip(operation.fastest_other(device));
        let Some(((_, ours), (other, rate))) = known else { continue };
        if ours >= CLOSE * rate {
            won.push(operation.name.to_owned());
        } else {
            lost.push(format!("{} ({other}: {} times as fast)", operation.name, short(rate / ours)));
        }
    }
    let won = (!won.is_empty())
        .then(|| format!("{} is the fastest, or within 5 % of it, at {}", GpuLsm::NAME, won.join("; ")));
    let lost = (!lost.is_empty()).then(|| format!("something else is faster at {}", lost.join("; ")));
    let parts: Vec<_> = won.into_iter().chain(lost).collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!("On {}, {}.", device.device(), parts.join(". There, "))
    }
}
