//! What was measured on each device.

use crate::error::{Error, Result};
use crate::record::experiment::Experiment;
use crate::record::kept::Kept;
use crate::record::run::{self, Run};
use crate::record::summary::Summaries;
use std::fs;
use std::path::{Path, PathBuf};

/// What was measured on one device.
#[derive(Debug)]
pub struct Results {
    /// Its folder.
    pub folder: PathBuf,
    /// The experiments, each with what its last run came to.
    pub parts: Vec<Part>,
}

/// An experiment's last run.
#[derive(Debug)]
pub struct Part {
    /// Which experiment.
    pub experiment: Experiment,
    /// Which run.
    pub run: Run,
    /// What its samples of the largest n come to.
    pub summaries: Summaries,
}

impl Part {
    /// How many entries.
    pub fn n(&self) -> usize {
        self.summaries.keys().map(|group| group.n).max().unwrap_or(0)
    }

    /// How long it took, where it came to its end.
    pub fn seconds(&self) -> Option<f64> {
        self.run.seconds(self.experiment.name(), self.n())
    }
}

impl Results {
    /// The device's name.
    pub fn device(&self) -> &str {
        self.parts.first().map_or("", |part| &part.run.machine.device)
    }

    /// The runs that its parts are of, in the order in which they began.
    pub fn runs(&self) -> Vec<&Run> {
        let mut runs: Vec<_> = self.parts.iter().map(|part| &part.run).collect();
        runs.sort_by_key(|run| &run.run);
        runs.dedup_by_key(|run| &run.run);
        runs
    }

    /// An experiment's part, where it was run.
    pub fn part(&self, experiment: Experiment) -> Option<&Part> {
        self.parts.iter().find(|part| part.experiment == experiment)
    }
}

/// The results of all devices under a folder, by name.
///
/// # Errors
/// Where they can't be read.
pub fn read(results: &Path) -> Result<Vec<Results>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(results).map_err(Error::file(results))? {
        let path = entry.map_err(Error::file(results))?.path();
        if path.join(run::FILE).exists() {
            folders.push(path);
        }
    }
    folders.sort();
    folders.into_iter().map(read_device).collect()
}

fn read_device(folder: PathBuf) -> Result<Results> {
    let (runs, mut parts) = (run::read(&folder)?, Vec::new());
    for experiment in Experiment::ALL {
        let Some(kept) = Kept::read(&folder, experiment.name())? else { continue };
        let run = runs.iter().find(|run| run.run == kept.run).ok_or_else(|| {
            let (name, run) = (experiment.name(), &kept.run);
            Error::Asked(format!(
                "{} has no run {run:?}, which {name} is of",
                folder.join(run::FILE).display()
            ))
        })?;
        parts.push(Part { experiment, run: run.clone(), summaries: kept.summaries });
    }
    Ok(Results { folder, parts })
}

/// When runs began, on what, and with which versions; those of one machine and program together.
pub(crate) fn described(runs: &[&Run]) -> Vec<String> {
    runs.chunk_by(|one, next| one.machine == next.machine).map(of_one_machine).collect()
}

fn of_one_machine(runs: &[&Run]) -> String {
    let (first, last) = (runs[0], runs[runs.len() - 1]);
    let when = match runs.len() {
        1 => format!("Run of {}", first.started),
        several => format!("{several} runs, of {} to {}", first.started, last.started),
    };
    let machine = &first.machine;
    format!(
        "{when}: {}; {}, {} threads, {}; gpu-lsm {} ({}), {}, {}.",
        machine.driver,
        machine.processor,
        machine.threads,
        machine.system,
        machine.version,
        machine.commit,
        machine.engine,
        machine.compiler
    )
}

/// As Markdown, the device and the runs that its numbers are of.
pub(crate) fn heading(device: &Results) -> String {
    let runs: String = described(&device.runs()).iter().map(|runs| format!("{runs}\n\n")).collect();
    format!("### {}\n\n{runs}", device.device())
}
