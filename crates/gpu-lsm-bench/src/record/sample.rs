//! Samples: the only thing that an experiment leaves. What is kept of them is made from these alone.

use crate::record::measurement::{Resident, Timing};
use serde::{Deserialize, Serialize};
use std::fmt;

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

/// How keys lie in their domain, and in which order they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyKind {
    /// Anywhere, in random order: the paper's.
    Uniform,
    /// Stretches of 4,096 neighbours, anywhere, in random order.
    Dense,
    /// Ascending, with small gaps: events as they come.
    Timestamps,
    /// (source, target) of a graph, few of whose vertices have many edges; in random order.
    Edges,
}

impl KeyKind {
    /// All of them.
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
