//! Where and when something was measured.

use crate::error::{Error, Result};
use crate::record::Place;
use gpu_lsm::Device;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The machine, its device, and the versions that ran on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The device's name.
    pub device: String,
    /// Its driver and version.
    pub driver: String,
    /// The processor.
    pub processor: String,
    /// How many threads it runs at once.
    pub threads: usize,
    /// The operating system and the architecture.
    pub system: String,
    /// The version of this project.
    pub version: String,
    /// The day of the last run.
    pub date: String,
}

impl Machine {
    /// This machine, today.
    pub fn this(place: &Place) -> Self {
        Self {
            device: place.device.clone(),
            driver: place.driver.clone(),
            processor: processor(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{}, {}", std::env::consts::OS, std::env::consts::ARCH),
            version: env!("CARGO_PKG_VERSION").into(),
            date: date(
                SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400),
            ),
        }
    }

    /// Reads what was written beside results.
    ///
    /// # Errors
    /// Where it can't be read.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("machine.json");
        let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
        serde_json::from_str(&text).map_err(|error| Error::Record { path, line: 1, error })
    }

    /// Writes it beside results.
    ///
    /// # Errors
    /// Where it can't be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join("machine.json");
        fs::create_dir_all(folder).map_err(Error::file(folder))?;
        let text = serde_json::to_string_pretty(self).map_err(|error| Error::file(&path)(error.into()))?;
        fs::write(&path, text + "\n").map_err(Error::file(&path))
    }
}

/// What records call a device.
pub fn place(device: &Device) -> Place {
    let listed = Device::list().into_iter().find(|info| info.name == device.name());
    let driver = listed.map_or("unknown".into(), |info| format!("{}, {}", info.api, info.driver));
    Place { device: device.name().into(), driver }
}

/// The processor's name, where Linux tells.
fn processor() -> String {
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or("unknown".into(), |(_, name)| name.to_owned())
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
    use super::date;

    #[test]
    fn days_have_their_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_453), "2025-12-31");
    }
}
