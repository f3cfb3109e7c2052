//! Ratios that are medians of several runs, in a file next to a device's other results.

use crate::error::{Error, Result};
use crate::record::experiment::Experiment;
use crate::record::machine::{Machine, place};
use crate::record::summary::ORDER;
use crate::report::table::{Table, short, size};
use gpu_lsm::Device;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// The ratios of an experiment, with their medians and extremes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Medians {
    /// The experiment.
    pub experiment: String,
    /// The number of entries.
    pub n: usize,
    /// The number of runs.
    pub runs: usize,
    /// The date and time of the end of the last run.
    pub ended: String,
    /// The machine and the program.
    pub machine: Machine,
    /// The ratios.
    pub rows: Vec<Median>,
}

/// A ratio of gpu-lsm to another structure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Median {
    /// What was done.
    pub what: String,
    /// The other structure.
    pub structure: String,
    /// The median of all runs.
    pub median: f64,
    /// The ratio in the worst run for gpu-lsm.
    pub least: f64,
    /// The ratio in the best run for gpu-lsm.
    pub most: f64,
}

impl Medians {
    /// Writes the ratios next to the device's other results, and returns the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, results: &Path, device: &Device) -> Result<PathBuf> {
        let folder = results.join(place(device).folder());
        let path = file(&folder, &self.experiment);
        let text = serde_json::to_string_pretty(self).map_err(|error| Error::file(&path)(error.into()))?;
        fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        fs::write(&path, text + "\n").map_err(Error::file(&path))?;
        Ok(path)
    }

    /// Reads the ratios of an experiment from a device's folder; `None` if they were never measured.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read(folder: &Path, experiment: Experiment) -> Result<Option<Self>> {
        let path = file(folder, experiment.name());
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
        serde_json::from_str(&text).map(Some).map_err(|error| Error::Record { path, line: 1, error })
    }

    /// The ratios as a table, with one column per other structure.
    pub fn table(&self) -> Table {
        let title = format!(
            "{}, n = {}: gpu-lsm beside others, the median of {} runs, and the least and the most",
            self.experiment,
            size(self.n),
            self.runs
        );
        let is_there = |name: &&&str| self.rows.iter().any(|row| row.structure == **name);
        let others: Vec<_> = ORDER.iter().filter(is_there).copied().collect();
        let header: Vec<_> = ["times as fast"].into_iter().chain(others.iter().copied()).collect();
        let mut table = Table::new(title, "", &header);
        let mut whats: Vec<_> = self.rows.iter().map(|row| &row.what).collect();
        whats.dedup();
        for what in whats {
            let cell = |other: &&str| {
                let row = self.rows.iter().find(|row| row.what == *what && row.structure == **other);
                row.map_or("-".into(), Median::text)
            };
            table.rows.push([what.clone()].into_iter().chain(others.iter().map(cell)).collect());
        }
        table
    }
}

impl Median {
    fn text(&self) -> String {
        let [median, least, most] = [self.median, self.least, self.most].map(short);
        format!("{median} ({least} to {most})")
    }
}

/// The file of an experiment's ratios.
fn file(folder: &Path, experiment: &str) -> PathBuf {
    folder.join(format!("{experiment}-ratios.json"))
}
