//! The circumstances of a measurement: the machine, its device, and the program.

use crate::record::sample::Place;
use gpu_lsm::{Device, DeviceInfo};
use serde::{Deserialize, Serialize};
use std::fs;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The machine, its device, and the versions that run on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The device's name.
    pub device: String,
    /// Its driver and version.
    pub driver: String,
    /// The processor.
    pub processor: String,
    /// The number of threads that it runs at once.
    pub threads: usize,
    /// The operating system and the architecture.
    pub system: String,
    /// The version of this project.
    pub version: String,
    /// The commit that the program was built from, and whether there were uncommitted changes.
    pub commit: String,
    /// When the program was built. Two builds of one commit with uncommitted changes are different programs.
    pub built: String,
    /// The GPU engine and its version.
    pub engine: String,
    /// The compiler and its version.
    pub compiler: String,
}

impl Machine {
    /// This machine and this program.
    pub fn this(place: &Place) -> Self {
        let or_unknown = |known: Option<&str>| known.unwrap_or("unknown").to_owned();
        Self {
            device: place.device.clone(),
            driver: place.driver.clone(),
            processor: processor(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{}, {}", std::env::consts::OS, std::env::consts::ARCH),
            version: env!("CARGO_PKG_VERSION").into(),
            commit: or_unknown(commit()),
            built: built().map_or("unknown".into(), moment),
            engine: or_unknown(option_env!("GPU_LSM_ENGINE")),
            compiler: or_unknown(option_env!("GPU_LSM_COMPILER")),
        }
    }

    /// The commit if it is known, else the version.
    pub fn source(&self) -> String {
        if self.commit == "unknown" { format!("version {}", self.version) } else { self.commit.clone() }
    }
}

/// The commit that the program was built from, if it is known.
pub fn commit() -> Option<&'static str> {
    option_env!("GPU_LSM_COMMIT")
}

/// The device and driver as records name them.
pub fn place(device: &Device) -> Place {
    let is_same = |info: &DeviceInfo| info.selector.parse::<Device>().is_ok_and(|other| other == *device);
    let named: Vec<_> = Device::list().into_iter().filter(|info| info.name == device.name()).collect();
    // A card that two APIs reach is listed twice. Others are not opened just for their name.
    let own = if named.len() > 1 { named.iter().find(|info| is_same(info)) } else { named.first() };
    let Some(own) = own else { return Place { device: device.name().into(), driver: "unknown".into() } };
    let is_unique = named.iter().all(|info| info.api == own.api);
    Place {
        device: if is_unique { own.name.clone() } else { format!("{} ({})", own.name, own.api) },
        driver: format!("{}, {}", own.api, own.driver),
    }
}

/// The processor's name as the system reports it, else its architecture.
fn processor() -> String {
    let linux = || {
        let information = fs::read_to_string("/proc/cpuinfo").ok()?;
        let name = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "))?.1;
        Some(name.to_owned())
    };
    let macos = || {
        let output = Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let windows = || std::env::var("PROCESSOR_IDENTIFIER").ok();
    let name = match std::env::consts::OS {
        "macos" => macos(),
        "windows" => windows(),
        _ => linux(),
    };
    name.unwrap_or_else(|| std::env::consts::ARCH.into())
}

/// When this program's file was written, if the system reports it.
fn built() -> Option<SystemTime> {
    fs::metadata(std::env::current_exe().ok()?).ok()?.modified().ok()
}

/// A time as date and time of day, to the second, in UTC.
pub(crate) fn moment(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    format!("{}T{:02}:{:02}:{:02}Z", date(day), second / 3600, second / 60 % 60, second % 60)
}

/// The date of a day since 1970, as year-month-day (Hinnant's days-to-civil).
fn date(day: u64) -> String {
    let shifted = day + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::{date, moment};
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn days_have_their_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_453), "2025-12-31");
    }

    #[test]
    fn moments_have_their_times() {
        let time = UNIX_EPOCH + Duration::from_secs(86_400 + 3 * 3600 + 4 * 60 + 5);
        assert_eq!(moment(time), "1970-01-02T03:04:05Z");
    }
}
