//! Summaries of an experiment's samples: one line of JSON per row and structure.
//!
//! The samples take many megabytes. Tables, plots and documents need only these lines.

use crate::error::{Error, Result};
use crate::record::sample::Record;
use crate::record::store::parse;
use crate::record::summary::{Group, Summaries, Summary, summaries};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// The summaries of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// The experiment.
    pub experiment: String,
    /// The run that its samples belong to.
    pub run: String,
    /// The summaries.
    pub summaries: Summaries,
}

#[derive(Serialize, Deserialize)]
struct Line {
    experiment: String,
    run: String,
    #[serde(flatten)]
    group: Group,
    #[serde(flatten)]
    summary: Summary,
}

impl Kept {
    /// Summarizes the samples of one run; `None` if there are none.
    pub fn of(records: &[Record]) -> Option<Self> {
        let first = records.first()?;
        let (experiment, run) = (first.sample.experiment.clone(), first.run.clone());
        Some(Self { experiment, run, summaries: summaries(records) })
    }

    /// Writes the summaries to the experiment's file in a device's folder. Replaces the previous content.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = file(folder, &self.experiment);
        let mut text = String::new();
        for line in self.lines() {
            let line = serde_json::to_string(&line);
            text.push_str(&line.map_err(|error| Error::file(&path)(error.into()))?);
            text.push('\n');
        }
        fs::write(&path, text).map_err(Error::file(&path))
    }

    fn lines(&self) -> impl Iterator<Item = Line> {
        let rows = self.summaries.iter().flat_map(|(group, all)| all.iter().map(move |one| (group, one)));
        rows.map(|(group, summary)| Line {
            experiment: self.experiment.clone(),
            run: self.run.clone(),
            group: group.clone(),
            summary: summary.clone(),
        })
    }

    /// Reads the summaries of an experiment from a device's folder; `None` if it was never run.
    ///
    /// # Errors
    /// If the file cannot be read, or has a line that is not a summary.
    pub fn read(folder: &Path, experiment: &str) -> Result<Option<Self>> {
        let path = file(folder, experiment);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
        let lines: Vec<Line> = parse(&path, &text)?;
        let run = lines.first().map(|line| line.run.clone());
        let mut summaries = Summaries::new();
        for line in lines {
            summaries.entry(line.group).or_default().push(line.summary);
        }
        Ok(run.map(|run| Self { experiment: experiment.into(), run, summaries }))
    }
}

/// The file of an experiment's summaries.
fn file(folder: &Path, experiment: &str) -> PathBuf {
    folder.join(format!("{experiment}.jsonl"))
}
