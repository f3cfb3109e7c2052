//! What records come to: minimum, maximum, mean and percentiles, computed from records alone.

use crate::record::Record;
use crate::statistics::{Rates, percentile};
use crate::workload::KeyKind;
use std::collections::BTreeMap;

/// What samples have in common that differ in nothing but how many batches are resident, or in being repeated.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// How the keys lie.
    pub keys: KeyKind,
    /// The size of the experiment.
    pub n: usize,
    /// How many batches make it.
    pub batches: usize,
    /// The batch size.
    pub b: usize,
    /// What was done.
    pub case: String,
    /// How many entries an interval has.
    pub l: Option<usize>,
}

impl Group {
    fn of(record: &Record) -> Self {
        let sample = &record.sample;
        Self {
            keys: sample.keys,
            n: sample.n,
            batches: sample.n / sample.b.max(1),
            b: sample.b,
            case: sample.case.clone(),
            l: sample.l,
        }
    }
}

/// What a structure's samples of one group come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The structure.
    pub structure: String,
    /// Operations per second.
    pub rates: Rates,
    /// Half of the times, 95 %, 99 % and all of them are no longer than these, in seconds.
    pub seconds: [f64; 4],
    /// All operations per all seconds.
    pub effective: f64,
    /// All operations per all seconds that the device itself worked, where it tells them all.
    pub on_device: Option<f64>,
    /// Operations of all samples.
    pub operations: f64,
    /// All seconds.
    pub total_seconds: f64,
    /// Bytes moved, launches, waits and bytes read back, of all samples.
    pub traffic: [f64; 4],
    /// Bytes resident after the last sample, where they are known.
    pub bytes: Option<u64>,
    /// Entries resident after the last sample.
    pub entries: u64,
    /// Whether every sample was compared with the reference.
    pub verified: bool,
}

impl Summary {
    fn of(structure: &str, records: &[&Record]) -> Option<Self> {
        let seconds: Vec<_> = records.iter().map(|record| record.seconds).collect();
        let at = |share| percentile(&seconds, share);
        let sum =
            |number: fn(&Record) -> u64| records.iter().map(|record| number(record) as f64).sum::<f64>();
        let (operations, total_seconds) = (sum(|record| record.operations), seconds.iter().sum::<f64>());
        let device_seconds = records.iter().map(|record| record.device_seconds).sum::<Option<f64>>();
        let last = records.iter().max_by_key(|record| record.sample.r)?;
        Some(Self {
            structure: structure.into(),
            rates: Rates::of(records.iter().map(|record| record.rate))?,
            seconds: [at(0.5)?, at(0.95)?, at(0.99)?, at(1.0)?],
            effective: operations / total_seconds,
            on_device: device_seconds.map(|seconds| operations / seconds),
            operations,
            total_seconds,
            traffic: [
                sum(|record| record.moved),
                sum(|record| record.launches),
                sum(|record| record.waits),
                sum(|record| record.downloaded),
            ],
            bytes: last.bytes,
            entries: last.entries,
            verified: records.iter().all(|record| record.verified),
        })
    }
}

/// The order in which structures stand in tables and plots.
pub const ORDER: [&str; 8] =
    ["gpu-lsm", "paper_lsm", "sorted_array", "cuckoo_hash", "btree_map", "sorted_vec", "redb", "copy"];

/// All groups, each with its structures in their order.
pub fn summaries(records: &[Record]) -> BTreeMap<Group, Vec<Summary>> {
    let mut groups: BTreeMap<Group, Vec<&Record>> = BTreeMap::new();
    for record in records {
        groups.entry(Group::of(record)).or_default().push(record);
    }
    let summaries = |records: Vec<&Record>| {
        let mut names: Vec<_> = records.iter().map(|record| record.sample.structure.as_str()).collect();
        names
            .sort_by_key(|name| (ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()), *name));
        names.dedup();
        let of = |name: &&str| {
            let own: Vec<_> =
                records.iter().copied().filter(|record| record.sample.structure == **name).collect();
            Summary::of(name, &own)
        };
        names.iter().filter_map(of).collect()
    };
    groups.into_iter().map(|(group, records)| (group, summaries(records))).collect()
}

/// The records of the largest run: those with the largest n; where n is what varies, those with that run's batch size.
pub fn largest(records: Vec<Record>) -> Vec<Record> {
    let Some(last) = records.iter().max_by_key(|record| record.sample.n) else { return records };
    let (n, b) = (last.sample.n, last.sample.b);
    let varies = last.sample.experiment == "scaling";
    let is_of_run = |record: &Record| if varies { record.sample.b == b } else { record.sample.n == n };
    records.into_iter().filter(is_of_run).collect()
}
