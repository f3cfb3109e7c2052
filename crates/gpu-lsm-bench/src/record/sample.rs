//! Samples: the only output of an experiment. The summaries are made from them alone.

use crate::record::measurement::{Resident, Timing};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The identity of a sample. Two records of the same sample in one run are the same measurement, made twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sample {
    /// The experiment.
    pub experiment: String,
    /// The structure.
    pub structure: String,
    /// The distribution of the keys.
    pub keys: KeyKind,
    /// The batch size.
    pub b: usize,
    /// The size of the experiment: the number of entries inserted in total.
    pub n: usize,
    /// The number of resident batches.
    pub r: usize,
    /// The number of entries in an interval, if there are intervals.
    #[serde(rename = "L")]
    pub l: Option<usize>,
    /// What was done.
    pub case: String,
    /// The number of the repetition.
    pub repetition: usize,
    /// Whether it was measured only for the minimum and the maximum, and is not part of the mean.
    pub extreme: bool,
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { experiment, keys, b, n, r, case, .. } = self;
        write!(f, "{experiment} {case}, keys {}, b = {b}, n = {n}, r = {r}", keys.name())?;
        self.l.map_or(Ok(()), |l| write!(f, ", L = {l}"))
    }
}

/// A sample with its measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The sample.
    #[serde(flatten)]
    pub sample: Sample,
    /// The run that it belongs to.
    pub run: String,
    /// The device.
    pub device: String,
    /// Its driver and version.
    pub driver: String,
    /// The number of entries or queries of the operation.
    pub operations: u64,
    /// The operation's time, with inputs and results on the device.
    pub seconds: f64,
    /// The time from the start of the operation's first pass on the device to the end of its last, including pauses
    /// between them, if the engine reports it.
    pub device_seconds: Option<f64>,
    /// The time to copy the input to the device.
    pub upload_seconds: f64,
    /// The time to copy the results back.
    pub read_back_seconds: f64,
    /// Operations per second.
    pub rate: f64,
    /// Whether the answer was compared with the reference.
    pub verified: bool,
    /// The number of entries that the structure held, including stale ones.
    pub entries: u64,
    /// The bytes that it held, if it reports them.
    pub bytes: Option<u64>,
    /// The bytes that the operation itself copied to the device.
    pub uploaded: u64,
    /// The bytes that it copied to the host.
    pub downloaded: u64,
    /// The number of its waits for the device, without the wait that ends the measurement.
    pub waits: u64,
    /// The number of kernels that it launched.
    pub launches: u64,
    /// The bytes that these kernels moved.
    pub moved: u64,
}

impl Record {
    /// A sample with its measurements.
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

/// Where samples are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The device's name.
    pub device: String,
    /// Its driver and version.
    pub driver: String,
}

impl Place {
    /// The device's name in the form of a folder's name.
    pub fn folder(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
        let words: String = self.device.chars().map(plain).collect();
        words.split_whitespace().collect::<Vec<_>>().join("-")
    }
}

/// The distribution of keys in their domain, and the order of their insertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyKind {
    /// Anywhere, in random order, as in the paper.
    Uniform,
    /// Blocks of 4,096 consecutive keys at random places, in random order.
    Dense,
    /// Ascending with small gaps, like events over time.
    Timestamps,
    /// (source, target) of a graph in which few vertices have many edges, in random order.
    Edges,
}

impl KeyKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Uniform, Self::Dense, Self::Timestamps, Self::Edges];

    /// Its name in records and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Dense => "dense",
            Self::Timestamps => "timestamps",
            Self::Edges => "edges",
        }
    }
}
