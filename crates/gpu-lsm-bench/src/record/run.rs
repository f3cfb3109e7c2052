//! Runs: what was asked of which program on which machine, and what of it is done.
//!
//! A run is one command, from its start to its end. Its samples are never mixed with those of others. Where it was cut
//! off, the same command of the same program on the same machine goes on with it; a run that came to its end is never
//! gone on with.

use crate::error::{Error, Result};
use crate::record::machine::{Machine, moment};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file of a folder's runs.
pub const FILE: &str = "runs.json";

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its name, which all its records bear: when it began, from which source, on which processor.
    pub run: String,
    /// The date and time when it began.
    pub started: String,
    /// What was asked for.
    pub asked: String,
    /// Whether it came to its end.
    pub finished: bool,
    /// What was measured with.
    pub machine: Machine,
    /// The experiments that came to their end.
    pub experiments: Vec<Finished>,
}

/// An experiment that came to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// Which experiment.
    pub experiment: String,
    /// How many entries.
    pub n: usize,
    /// How long it took, all told.
    pub seconds: f64,
}

impl Run {
    /// How long an experiment took, where it came to its end.
    pub fn seconds(&self, experiment: &str, n: usize) -> Option<f64> {
        let known = self.experiments.iter().find(|known| known.experiment == experiment && known.n == n);
        known.map(|known| known.seconds)
    }
}

/// The run under way. Nothing is written before something was measured.
#[derive(Debug)]
pub struct CurrentRun {
    path: PathBuf,
    first: Run,
}

impl CurrentRun {
    /// Goes on with the last run in a folder that was cut off and asked the same of the same program on the same machine;
    /// where there is none, or a fresh one is wanted, begins one.
    ///
    /// # Errors
    /// Where the file of runs can't be read.
    pub fn begin(folder: &Path, machine: Machine, asked: &str, fresh: bool) -> Result<Self> {
        let runs = read(folder)?;
        let goes_on = |run: &&Run| !fresh && !run.finished && run.asked == asked && run.machine == machine;
        let first = match runs.iter().rev().find(goes_on) {
            Some(run) => run.clone(),
            None => begun(&runs, machine, asked),
        };
        Ok(Self { path: folder.join(FILE), first })
    }

    /// The run's name.
    pub fn name(&self) -> &str {
        &self.first.run
    }

    /// Writes it down, where it is not yet.
    ///
    /// # Errors
    /// Where the file can't be written.
    pub fn write_down(&self) -> Result<()> {
        self.change(|_| {})
    }

    /// Writes down that an experiment came to its end. Of one that was cut off and went on, this is only the rest.
    ///
    /// # Errors
    /// Where the file can't be written.
    pub fn finish_experiment(&self, experiment: &str, n: usize, seconds: f64) -> Result<()> {
        self.change(|run| {
            match run.experiments.iter_mut().find(|known| known.experiment == experiment && known.n == n) {
                Some(known) => known.seconds += seconds,
                None => run.experiments.push(Finished { experiment: experiment.into(), n, seconds }),
            }
        })
    }

    /// Writes down that it came to its end; nothing, where nothing was measured.
    ///
    /// # Errors
    /// Where the file can't be written.
    pub fn finish(&self) -> Result<()> {
        match self.seen()? {
            Some(_) => self.change(|run| run.finished = true),
            None => Ok(()),
        }
    }

    /// How long an experiment took, where it came to its end in this run.
    ///
    /// # Errors
    /// Where the file can't be read.
    pub fn seconds(&self, experiment: &str, n: usize) -> Result<Option<f64>> {
        Ok(self.seen()?.and_then(|run| run.seconds(experiment, n)))
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The run, as it is written down.
    fn seen(&self) -> Result<Option<Run>> {
        Ok(read(self.folder())?.into_iter().find(|run| run.run == self.first.run))
    }

    fn change(&self, change: impl FnOnce(&mut Run)) -> Result<()> {
        let mut runs = read(self.folder())?;
        let known = runs.iter().position(|run| run.run == self.first.run);
        let at = known.unwrap_or(runs.len());
        if known.is_none() {
            runs.push(self.first.clone());
        }
        change(&mut runs[at]);
        let text =
            serde_json::to_string_pretty(&runs).map_err(|error| Error::file(&self.path)(error.into()))?;
        // In one step, so that a run that is cut off here leaves a whole file.
        let new = self.path.with_extension("json.new");
        fs::create_dir_all(self.folder()).map_err(Error::file(self.folder()))?;
        fs::write(&new, text + "\n").map_err(Error::file(&new))?;
        fs::rename(&new, &self.path).map_err(Error::file(&self.path))
    }
}

/// A run that begins now.
fn begun(runs: &[Run], machine: Machine, asked: &str) -> Run {
    let started = moment(SystemTime::now());
    let name = format!("{started}, {}, {}", machine.source(), machine.processor);
    let in_the_same_second = runs.iter().filter(|run| run.run.starts_with(&name)).count();
    let run = if in_the_same_second == 0 { name } else { format!("{name}, {}", in_the_same_second + 1) };
    Run { run, started, asked: asked.into(), finished: false, machine, experiments: Vec::new() }
}

/// The runs of a folder, in the order in which they began.
///
/// # Errors
/// Where the file can't be read.
pub fn read(folder: &Path) -> Result<Vec<Run>> {
    let path = folder.join(FILE);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
    serde_json::from_str(&text).map_err(|error| Error::Record { path, line: 1, error })
}
