//! Samples as lines of JSON, in one file per experiment.

use crate::error::{Error, Result};
use crate::record::sample::{Record, Sample};
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file of an experiment's samples. They stay on the machine where they were measured.
pub fn file(folder: &Path, experiment: &str) -> PathBuf {
    folder.join("samples").join(format!("{experiment}.jsonl"))
}

/// The records of one experiment in one run. The file grows sample by sample, and may also have records of other runs.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
    records: Records,
    added: usize,
}

impl Store {
    /// Opens a file of records, or creates it. An incomplete last line is removed.
    ///
    /// # Errors
    /// If the file cannot be read or written, or has a line that is not a record.
    pub fn open(path: &Path, run: &str) -> Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(Error::file(folder))?;
        }
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(path).map_err(Error::file(path))?;
        let text = fs::read_to_string(path).map_err(Error::file(path))?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(Error::file(path))?;
        let mut store = Self { path: path.to_owned(), file, records: Records::default(), added: 0 };
        let all: Vec<Record> = parse(path, &text[..whole])?;
        let own = all.into_iter().filter(|record| record.run == run);
        own.for_each(|record| store.records.keep(record));
        Ok(store)
    }

    /// The records, one per sample. If a sample was recorded several times, the last record.
    pub fn records(&self) -> &[Record] {
        &self.records.all
    }

    /// The number of records added since the file was opened.
    pub fn added(&self) -> usize {
        self.added
    }

    /// Whether a sample was measured in this run and, if `verify` is set, compared with the reference.
    pub fn has(&self, sample: &Sample, verify: bool) -> bool {
        let known = self.records.known.get(sample).map(|&at| &self.records.all[at]);
        known.is_some_and(|record| record.verified || !verify)
    }

    /// Adds a record, and writes it immediately.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, record: Record) -> Result<()> {
        let encoded = serde_json::to_string(&record);
        let mut line = encoded.map_err(|error| Error::file(&self.path)(error.into()))?;
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(Error::file(&self.path))?;
        self.records.keep(record);
        self.added += 1;
        Ok(())
    }
}

/// Records, one per sample. If a sample was recorded several times, the last record.
#[derive(Debug, Default)]
struct Records {
    all: Vec<Record>,
    known: HashMap<Sample, usize>,
}

impl Records {
    fn keep(&mut self, record: Record) {
        match self.known.get(&record.sample) {
            Some(&at) => self.all[at] = record,
            None => {
                self.known.insert(record.sample.clone(), self.all.len());
                self.all.push(record);
            }
        }
    }
}

/// The parsed lines of a file.
pub(crate) fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<Vec<T>> {
    let parse = |(line, text): (usize, &str)| {
        serde_json::from_str(text).map_err(|error| Error::Record {
            path: path.to_owned(),
            line: line + 1,
            error,
        })
    };
    text.lines().enumerate().map(parse).collect()
}
