//! The results of each device.

use crate::error::{Error, Result};
use crate::record::experiment::Experiment;
use crate::record::kept::Kept;
use crate::record::run::{self, Run};
use crate::record::summary::Summaries;
use std::fs;
use std::path::{Path, PathBuf};

/// The results of one device.
#[derive(Debug)]
pub struct Results {
    /// Its folder.
    pub folder: PathBuf,
    /// The experiments, each with the summaries of its last run.
    pub parts: Vec<Part>,
}

/// The last run of an experiment.
#[derive(Debug)]
pub struct Part {
    /// The experiment.
    pub experiment: Experiment,
    /// The run.
    pub run: Run,
    /// The summaries of its samples with the largest n.
    pub summaries: Summaries,
}

impl Part {
    /// The number of entries.
    pub fn n(&self) -> usize {
        self.summaries.keys().map(|group| group.n).max().unwrap_or(0)
    }

    /// The total time, if the run is finished.
    pub fn seconds(&self) -> Option<f64> {
        self.run.seconds(self.experiment.name(), self.n())
    }
}

impl Results {
    /// The device's name.
    pub fn device(&self) -> &str {
        self.parts.first().map_or("", |part| &part.run.machine.device)
    }

    /// The runs that its parts belong to, in the order of their start.
    pub fn runs(&self) -> Vec<&Run> {
        let mut runs: Vec<_> = self.parts.iter().map(|part| &part.run).collect();
        runs.sort_by_key(|run| &run.run);
        runs.dedup_by_key(|run| &run.run);
        runs
    }

    /// The part of an experiment, if it was run.
    pub fn part(&self, experiment: Experiment) -> Option<&Part> {
        self.parts.iter().find(|part| part.experiment == experiment)
    }
}

/// The results of all devices in a folder, by name.
///
/// # Errors
/// If they cannot be read.
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

/// The results of the device whose folder this is.
///
/// # Errors
/// If they cannot be read.
pub fn read_device(folder: PathBuf) -> Result<Results> {
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

/// The start times, machine and versions of runs. Runs with the same machine and program are combined.
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

/// The device and the runs of its numbers, as Markdown.
pub(crate) fn heading(device: &Results) -> String {
    let runs: String = described(&device.runs()).iter().map(|runs| format!("{runs}\n\n")).collect();
    format!("## {}\n\n{runs}", device.device())
}
