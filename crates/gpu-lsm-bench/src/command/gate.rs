//! The gate: gpu-lsm beside the paper's LSM at a small size, and whether a row has become slower than is written down.
//!
//! Only ratios of one run on one device are compared, never times. What both share, as the sort, it does not see. Noise makes
//! a row fail now and then, a slower program again and again: so each ratio is the median of several runs, and rows that
//! fail are measured again before they count.

use crate::command::repeated::Repeated;
use crate::error::{Error, Result};
use crate::measure::progress::Progress;
use crate::measure::scale::Scale;
use crate::record::experiment::Experiment;
use crate::record::machine::place;
use crate::record::statistics::percentile;
use crate::report::ratios::{self};
use crate::report::table::{Table, short};
use gpu_lsm::Device;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The least share of a ratio that is written down which passes.
pub const LEAST: f64 = 0.8;
/// The file, beside a device's results.
pub const FILE: &str = "gate.json";
/// A ratio is the median of so many runs.
const RUNS: usize = 5;
/// One that is written down is the median of more, as luck would stay.
const RUNS_TO_ACCEPT: usize = 3 * RUNS;
/// How often a row that fails is measured before that counts.
const ATTEMPTS: usize = 6;
/// What to do where there is nothing to compare with.
const HINT: &str = "write down what is to be kept with `gpu-lsm bench gate --accept`";
/// What is measured.
const EXPERIMENTS: [Experiment; 4] =
    [Experiment::Insert, Experiment::Lookup, Experiment::Ranges, Experiment::Cleanup];

/// The size: seconds for all, and milliseconds for most samples. The host is several times as fast as software Vulkan.
pub fn scale(device: &Device) -> Scale {
    let n = if device.is_host() { 1 << 18 } else { 1 << 16 };
    Scale { n, samples: 4, batches: 16, smallest: n / 16, candidates: 8 * n, ..Scale::full(n) }
}

/// Rates of gpu-lsm by those of the paper's LSM, by what was done.
pub type Ratios = BTreeMap<String, f64>;

/// What is written down for a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accepted {
    /// The driver on which the ratios were measured.
    pub driver: String,
    /// Whether the program checked itself, as those that are built for tests do.
    pub has_assertions: bool,
    /// The ratios.
    pub ratios: Ratios,
}

/// A row: what was done, the ratio that is written down, and the one that was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What was done.
    pub name: String,
    /// What is written down.
    pub accepted: f64,
    /// What was measured.
    pub measured: f64,
}

impl Row {
    /// Whether it is fast enough.
    pub fn passes(&self) -> bool {
        self.measured >= LEAST * self.accepted
    }
}

/// A device whose ratios are compared with those under a folder of results.
#[derive(Debug)]
pub struct Gate<'a> {
    device: &'a Device,
    path: PathBuf,
    scale: Scale,
}

impl<'a> Gate<'a> {
    /// The device's gate.
    pub fn new(device: &'a Device, results: &Path, scale: Scale) -> Self {
        Self { device, path: results.join(place(device).folder()).join(FILE), scale }
    }

    /// Measures, and writes the ratios down.
    ///
    /// # Errors
    /// Where a structure, the device or a file fails.
    pub fn accept(&self, progress: &mut dyn Progress) -> Result<Vec<Row>> {
        let ratios = self.medians(&EXPERIMENTS, RUNS_TO_ACCEPT, progress)?;
        // Before anything is written: where there are no rows, what is written down stays.
        let accepted_rows = rows(&ratios, &ratios)?;
        let accepted = Accepted { ratios, ..self.circumstances() };
        let text =
            serde_json::to_string_pretty(&accepted).map_err(|error| Error::file(&self.path)(error.into()))?;
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(Error::file(folder))?;
        }
        fs::write(&self.path, text + "\n").map_err(Error::file(&self.path))?;
        Ok(accepted_rows)
    }

    /// Measures, and compares with what is written down; what fails is measured again, and its best counts.
    ///
    /// # Errors
    /// Where nothing is written down or something else is; where a structure, the device or a file fails.
    pub fn check(&self, progress: &mut dyn Progress) -> Result<Vec<Row>> {
        let accepted = self.accepted()?;
        let here = Accepted { ratios: accepted.ratios.clone(), ..self.circumstances() };
        if accepted != here {
            let what = "was measured with another driver or another kind of build";
            return Err(Error::Asked(format!("{} {what}: {HINT}", self.path.display())));
        }
        let accepted = accepted.ratios;
        let mut measured = self.medians(&EXPERIMENTS, RUNS, progress)?;
        for _ in 1..ATTEMPTS {
            let failing: Vec<_> =
                rows(&accepted, &measured)?.into_iter().filter(|row| !row.passes()).collect();
            let is_of = |experiment: &Experiment| {
                failing.iter().any(|row| row.name.starts_with(&format!("{} ", experiment.name())))
            };
            let again: Vec<_> = EXPERIMENTS.into_iter().filter(is_of).collect();
            if again.is_empty() {
                break;
            }
            for (name, ratio) in self.medians(&again, RUNS, progress)? {
                measured.entry(name).and_modify(|best| *best = best.max(ratio)).or_insert(ratio);
            }
        }
        rows(&accepted, &measured)
    }

    /// What ratios depend on besides the program; no ratios yet.
    fn circumstances(&self) -> Accepted {
        let driver = place(self.device).driver;
        Accepted { driver, has_assertions: cfg!(debug_assertions), ratios: Ratios::new() }
    }

    fn accepted(&self) -> Result<Accepted> {
        if !self.path.exists() {
            return Err(Error::Asked(format!("{} does not exist: {HINT}", self.path.display())));
        }
        let text = fs::read_to_string(&self.path).map_err(Error::file(&self.path))?;
        serde_json::from_str(&text).map_err(|error| Error::Record { path: self.path.clone(), line: 1, error })
    }

    /// The ratios, each the median of several runs.
    fn medians(
        &self,
        experiments: &[Experiment],
        runs: usize,
        progress: &mut dyn Progress,
    ) -> Result<Ratios> {
        let repeated = Repeated { device: self.device, beside: &["paper_lsm"], scale: self.scale };
        let all = repeated.runs(experiments, runs, ratios::rates, progress)?;
        let to_paper = all.into_iter().filter(|((_, structure), _)| structure == "paper_lsm");
        Ok(to_paper.filter_map(|((what, _), ratios)| Some((what, percentile(&ratios, 0.5)?))).collect())
    }
}

/// What is written down beside what was measured.
///
/// # Errors
/// Where they are not about the same.
pub fn rows(accepted: &Ratios, measured: &Ratios) -> Result<Vec<Row>> {
    if measured.is_empty() || !accepted.keys().eq(measured.keys()) {
        return Err(Error::Asked(format!("other rows are measured than are written down: {HINT}")));
    }
    let row =
        |(name, &accepted): (&String, &f64)| Row { name: name.clone(), accepted, measured: measured[name] };
    Ok(accepted.iter().map(row).collect())
}

/// The rows as a table.
pub fn table(rows: &[Row]) -> Table {
    let note = format!(
        "Rates of gpu-lsm by those of the paper's LSM, the median of {RUNS} runs each; below {LEAST} of what is written \
         down a row fails."
    );
    let mut table = Table::new("The gate", note, &["what", "written down", "measured", "share", ""]);
    table.rows = rows.iter().map(cells).collect();
    table
}

fn cells(row: &Row) -> Vec<String> {
    let verdict = if row.passes() { "" } else { "SLOWER" };
    let share = row.measured / row.accepted;
    vec![row.name.clone(), short(row.accepted), short(row.measured), short(share), verdict.into()]
}
