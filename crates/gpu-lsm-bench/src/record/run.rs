//! Runs: the command, the program, the machine, and the progress.
//!
//! A run is one command, from its start to its end. Its samples are never mixed with those of other runs. Rerun the
//! same command with the same program on the same machine to resume an unfinished run. A finished run is never resumed.

use crate::error::{Error, Result};
use crate::record::machine::{Machine, moment};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file that lists a folder's runs.
pub const FILE: &str = "runs.json";

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its name, which is in all its records: start time, source and processor.
    pub run: String,
    /// The date and time of its start.
    pub started: String,
    /// The command.
    pub asked: String,
    /// Whether it is finished.
    pub finished: bool,
    /// The machine and the program.
    pub machine: Machine,
    /// The finished experiments.
    pub experiments: Vec<Finished>,
}

/// A finished experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// The experiment.
    pub experiment: String,
    /// The number of entries.
    pub n: usize,
    /// The total time.
    pub seconds: f64,
}

impl Run {
    /// The time of an experiment, if it is finished.
    pub fn seconds(&self, experiment: &str, n: usize) -> Option<f64> {
        let known = self.experiments.iter().find(|known| known.experiment == experiment && known.n == n);
        known.map(|known| known.seconds)
    }
}

/// The current run. It is not written to disk before something was measured.
#[derive(Debug)]
pub struct CurrentRun {
    path: PathBuf,
    first: Run,
}

impl CurrentRun {
    /// Resumes the last unfinished run in a folder with the same command, program and machine. If there is none, or
    /// `fresh` is set, starts a new one.
    ///
    /// # Errors
    /// If the file of runs cannot be read.
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

    /// Writes the run to disk, unless it is already there.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_down(&self) -> Result<()> {
        self.change(|_| {})
    }

    /// Records that an experiment is finished. If it was resumed, the time is only that of the rest.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish_experiment(&self, experiment: &str, n: usize, seconds: f64) -> Result<()> {
        self.change(|run| {
            match run.experiments.iter_mut().find(|known| known.experiment == experiment && known.n == n) {
                Some(known) => known.seconds += seconds,
                None => run.experiments.push(Finished { experiment: experiment.into(), n, seconds }),
            }
        })
    }

    /// Records that the run is finished. Does nothing if nothing was measured.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(&self) -> Result<()> {
        match self.seen()? {
            Some(_) => self.change(|run| run.finished = true),
            None => Ok(()),
        }
    }

    /// The time of an experiment, if it was finished in this run.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn seconds(&self, experiment: &str, n: usize) -> Result<Option<f64>> {
        Ok(self.seen()?.and_then(|run| run.seconds(experiment, n)))
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The run as it is on disk.
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
        // In one step, so that an interruption leaves a complete file.
        let new = self.path.with_extension("json.new");
        fs::create_dir_all(self.folder()).map_err(Error::file(self.folder()))?;
        fs::write(&new, text + "\n").map_err(Error::file(&new))?;
        fs::rename(&new, &self.path).map_err(Error::file(&self.path))
    }
}

/// A run that starts now.
fn begun(runs: &[Run], machine: Machine, asked: &str) -> Run {
    let started = moment(SystemTime::now());
    let name = format!("{started}, {}, {}", machine.source(), machine.processor);
    let in_the_same_second = runs.iter().filter(|run| run.run.starts_with(&name)).count();
    let run = if in_the_same_second == 0 { name } else { format!("{name}, {}", in_the_same_second + 1) };
    Run { run, started, asked: asked.into(), finished: false, machine, experiments: Vec::new() }
}

/// The runs of a folder, in the order of their start.
///
/// # Errors
/// If the file cannot be read.
pub fn read(folder: &Path) -> Result<Vec<Run>> {
    let path = folder.join(FILE);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
    serde_json::from_str(&text).map_err(|error| Error::Record { path, line: 1, error })
}
