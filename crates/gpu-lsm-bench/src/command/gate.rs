//! The gate: compares gpu-lsm with the paper's LSM at a small size, and fails if a row has become slower than the
//! recorded ratio.
//!
//! Only ratios within one run on one device are compared, never times. A change that slows both structures down, as in
//! the sort, goes unnoticed. Noise makes a row fail now and then; a slower program fails every time. So each ratio is
//! the median of several runs, and rows that fail are measured again before they are reported.

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
use std::time::Duration;

/// The smallest share of the recorded ratio that passes.
pub const LEAST: f64 = 0.8;
/// The file, in the folder of a device's results.
pub const FILE: &str = "gate.json";
/// The number of runs of which a ratio is the median.
const RUNS: usize = 5;
/// The number of runs for a recorded ratio. There are more, because a lucky result would stay.
const RUNS_TO_ACCEPT: usize = 3 * RUNS;
/// The number of times that a failing row is measured before it is reported.
const ATTEMPTS: usize = 6;
/// The time for which a query is repeated. One sample of a millisecond may be twice as long as the next.
const REPEAT_FOR: Duration = Duration::from_millis(5);
/// Advice if there is nothing to compare with.
const HINT: &str = "write down what is to be kept with `gpu-lsm bench gate --accept`";
/// The measured experiments.
const EXPERIMENTS: [Experiment; 4] =
    [Experiment::Insert, Experiment::Lookup, Experiment::Ranges, Experiment::Cleanup];

/// The size: half a minute for a run at most. The host is several times as fast as software Vulkan. There are enough
/// intervals of 1024 entries that counting them takes longer than waking threads and launching kernels; so are there lookups
/// after a cleanup on a GPU, where one level is left of few keys. What is still short is repeated.
pub fn scale(device: &Device) -> Scale {
    let (n, lookups) = if device.is_host() { (1 << 18, 0) } else { (1 << 16, 1 << 18) };
    let full = Scale { lookups, repeat_for: REPEAT_FOR, ..Scale::full(n) };
    Scale { samples: 4, batches: 16, smallest: n / 16, candidates: 32 * n, ..full }
}

/// The rate of gpu-lsm divided by that of the paper's LSM, by row.
pub type Ratios = BTreeMap<String, f64>;

/// The recorded ratios of a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accepted {
    /// The driver on which the ratios were measured.
    pub driver: String,
    /// Whether the program was built with debug assertions, as test builds are.
    pub has_assertions: bool,
    /// The ratios.
    pub ratios: Ratios,
}

/// A row: its name, its recorded ratio, and its measured ratio.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What was done.
    pub name: String,
    /// The recorded ratio.
    pub accepted: f64,
    /// The measured ratio.
    pub measured: f64,
}

impl Row {
    /// Whether it is fast enough.
    pub fn passes(&self) -> bool {
        self.measured >= LEAST * self.accepted
    }
}

/// A device whose ratios are compared with the recorded ones in a folder of results.
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

    /// Measures the ratios, and records them.
    ///
    /// # Errors
    /// If a structure, the device or a file fails.
    pub fn accept(&self, progress: &mut dyn Progress) -> Result<Vec<Row>> {
        let ratios = self.medians(&EXPERIMENTS, RUNS_TO_ACCEPT, progress)?;
        // Checked before anything is written: if there are no rows, the recorded ratios stay.
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

    /// Measures the ratios, and compares them with the recorded ones. Rows that fail are measured again, and the best
    /// result decides.
    ///
    /// # Errors
    /// If nothing is recorded, or the record does not fit this driver and build; also if a structure, the device or a
    /// file fails.
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

    /// Everything that ratios depend on besides the program, without ratios.
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

/// Pairs the recorded ratios with the measured ones.
///
/// # Errors
/// If they have different rows.
pub fn rows(accepted: &Ratios, measured: &Ratios) -> Result<Vec<Row>> {
    if measured.is_empty() || !accepted.keys().eq(measured.keys()) {
        return Err(Error::Asked(format!("other rows are measured than are written down: {HINT}")));
    }
    let row =
        |(name, &accepted): (&String, &f64)| Row { name: name.clone(), accepted, measured: measured[name] };
    Ok(accepted.iter().map(row).collect())
}

/// The rows as a table: of what was accepted now, or compared.
pub fn table(rows: &[Row], is_accepted: bool) -> Table {
    let what = "Rates of gpu-lsm by those of the paper's LSM";
    let note = match is_accepted {
        true => format!("{what}, the median of {RUNS_TO_ACCEPT} runs each."),
        false => format!(
            "{what}, the median of {RUNS} runs each, and the best of several medians if one was too low; below {LEAST} of \
             what is written down a row fails."
        ),
    };
    let mut table = Table::new("The gate", note, &["what", "written down", "measured", "share", ""]);
    table.rows = rows.iter().map(cells).collect();
    table
}

fn cells(row: &Row) -> Vec<String> {
    let verdict = if row.passes() { "" } else { "SLOWER" };
    let share = row.measured / row.accepted;
    vec![row.name.clone(), short(row.accepted), short(row.measured), short(share), verdict.into()]
}
