//! Samples as lines of JSON: the only thing that an experiment leaves. What is kept of them is made from these alone.

use crate::error::{Error, Result};
use crate::structure::{Resident, Timing};
use crate::workload::KeyKind;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Which sample it is. Two records of the same sample in one run are the same measurement, made twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sample {
    /// The experiment.
    pub experiment: String,
    /// The structure.
    pub structure: String,
    /// How the keys lie.
    pub keys: KeyKind,
    /// The batch size.
    pub b: usize,
    /// The size of the experiment: how many entries come in all.
    pub n: usize,
    /// How many batches are resident.
    pub r: usize,
    /// How many entries an interval has, where there are intervals.
    #[serde(rename = "L")]
    pub l: Option<usize>,
    /// What was done.
    pub case: String,
    /// Which one of several that are otherwise alike.
    pub repetition: usize,
    /// Whether it was taken for the minimum and the maximum only: it does not count for the mean.
    pub extreme: bool,
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { experiment, keys, b, n, r, case, .. } = self;
        write!(f, "{experiment} {case}, keys {}, b = {b}, n = {n}, r = {r}", keys.name())?;
        self.l.map_or(Ok(()), |l| write!(f, ", L = {l}"))
    }
}

/// A sample with what was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Which sample.
    #[serde(flatten)]
    pub sample: Sample,
    /// The run that it is of.
    pub run: String,
    /// The device.
    pub device: String,
    /// Its driver and version.
    pub driver: String,
    /// How many entries or queries the operation had.
    pub operations: u64,
    /// How long it took, inputs and results on the device.
    pub seconds: f64,
    /// From the start of the first pass to the end of the last that the device ran for it, pauses between them included,
    /// where the engine tells.
    pub device_seconds: Option<f64>,
    /// Copying the input there.
    pub upload_seconds: f64,
    /// Copying the results back.
    pub read_back_seconds: f64,
    /// Operations per second.
    pub rate: f64,
    /// Whether the answer was compared with the reference's.
    pub verified: bool,
    /// Entries that the structure held, stale ones included.
    pub entries: u64,
    /// Bytes that it held, where it tells.
    pub bytes: Option<u64>,
    /// Bytes copied to the device by the operation itself.
    pub uploaded: u64,
    /// Bytes copied to the host by it.
    pub downloaded: u64,
    /// How often it waited for the device; the wait that ends the measurement is not its own.
    pub waits: u64,
    /// How many kernels it launched.
    pub launches: u64,
    /// Bytes that these kernels moved.
    pub moved: u64,
}

impl Record {
    /// A sample with what was measured.
    pub fn new(
        sample: Sample,
        run: &str,
        place: &Place,
        operations: u64,
        timing: &Timing,
        resident: Resident,
        verified: bool,
    ) -> Self {
        let traffic = timing.traffic;
        Self {
            sample,
            run: run.into(),
            device: place.device.clone(),
            driver: place.driver.clone(),
            operations,
            seconds: timing.seconds,
            device_seconds: timing.device_seconds,
            upload_seconds: timing.upload_seconds,
            read_back_seconds: timing.read_back_seconds,
            rate: operations as f64 / timing.seconds,
            verified,
            entries: resident.entries,
            bytes: resident.bytes,
            uploaded: traffic.uploaded,
            downloaded: traffic.downloaded,
            waits: traffic.waits,
            launches: traffic.launches,
            moved: traffic.moved,
        }
    }
}

/// The file of an experiment's samples. They stay on the machine where they were measured.
pub fn file(folder: &Path, experiment: &str) -> PathBuf {
    folder.join("samples").join(format!("{experiment}.jsonl"))
}

/// Where samples are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The device's name.
    pub device: String,
    /// Its driver and version.
    pub driver: String,
}

impl Place {
    /// The device's name as a folder's.
    pub fn folder(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
        let words: String = self.device.chars().map(plain).collect();
        words.split_whitespace().collect::<Vec<_>>().join("-")
    }
}

/// The records of one experiment in one run, in a file that grows sample by sample and may have those of other runs too.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
    records: Records,
    added: usize,
}

impl Store {
    /// Opens a file of records, or starts it. A last line that was cut off is removed.
    ///
    /// # Errors
    /// Where the file can't be read or written, or has a line that is no record.
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

    /// The records, one for each sample: of several the last.
    pub fn records(&self) -> &[Record] {
        &self.records.all
    }

    /// How many records were added since it was opened.
    pub fn added(&self) -> usize {
        self.added
    }

    /// Whether a sample was measured in this run, and compared with the reference where that is wanted.
    pub fn has(&self, sample: &Sample, verify: bool) -> bool {
        let known = self.records.known.get(sample).map(|&at| &self.records.all[at]);
        known.is_some_and(|record| record.verified || !verify)
    }

    /// Adds a record, and writes it at once.
    ///
    /// # Errors
    /// Where the file can't be written.
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

/// Records, one for each sample: of several the last.
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

/// What each line of a file holds.
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
