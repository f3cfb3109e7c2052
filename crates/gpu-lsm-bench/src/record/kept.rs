//! What is kept of an experiment's samples: a line of JSON for each row and structure, with what its samples come to.
//!
//! Samples are many megabytes. Tables, plots and documents need these lines only.

use crate::error::{Error, Result};
use crate::record::sample::Record;
use crate::record::store::parse;
use crate::record::summary::{Group, Summaries, Summary, summaries};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// What is kept of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// Which experiment.
    pub experiment: String,
    /// The run that its samples are of.
    pub run: String,
    /// What the samples come to.
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
    /// What is kept of the samples of one run; nothing where there are none.
    pub fn of(records: &[Record]) -> Option<Self> {
        let first = records.first()?;
        let (experiment, run) = (first.sample.experiment.clone(), first.run.clone());
        Some(Self { experiment, run, summaries: summaries(records) })
    }

    /// Writes the lines of an experiment to its file in a device's folder, in place of those that were there.
    ///
    /// # Errors
    /// Where it can't be written.
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

    /// What is kept of an experiment in a device's folder; nothing where it was never run.
    ///
    /// # Errors
    /// Where the file can't be read, or has a line that is something else.
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

/// The file of what is kept of an experiment.
fn file(folder: &Path, experiment: &str) -> PathBuf {
    folder.join(format!("{experiment}.jsonl"))
}
