//! Summaries of records: minimum, maximum, mean and percentiles, computed from records alone.

use crate::record::sample::KeyKind;
use crate::record::sample::Record;
use crate::record::statistics::{Rates, percentile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The common properties of samples that differ only in the number of resident batches or in the repetition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group {
    /// The distribution of the keys.
    pub keys: KeyKind,
    /// The size of the experiment.
    pub n: usize,
    /// The number of batches that make n.
    pub batches: usize,
    /// The batch size.
    pub b: usize,
    /// What was done.
    pub case: String,
    /// The number of entries in an interval.
    #[serde(rename = "L")]
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

    /// The case, with the length of intervals and the kind of keys.
    pub(crate) fn described(&self) -> String {
        let case = self.l.map_or(self.case.clone(), |l| format!("{}, L = {l}", self.case));
        if self.keys == KeyKind::Uniform { case } else { format!("{case}, keys {}", self.keys.name()) }
    }
}

/// All groups, each with the summaries of its structures in their order.
pub type Summaries = BTreeMap<Group, Vec<Summary>>;

/// The experiments whose plots show every sample.
const DRAWN_ONE_BY_ONE: [&str; 5] = ["batch-time", "steady", "window", "expiry", "shards"];

/// The summary of a structure's samples in one group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The structure.
    pub structure: String,
    /// Operations per second; the median of repetitions.
    pub rates: Rates,
    /// The 50th, 95th and 99th percentile and the maximum of the times, in seconds.
    pub seconds: [f64; 4],
    /// All operations divided by all seconds.
    pub effective: f64,
    /// All operations divided by all seconds on the device, first pass to last, if they are known for all samples.
    pub on_device: Option<f64>,
    /// The operations of all samples.
    pub operations: f64,
    /// The seconds of all samples.
    pub total_seconds: f64,
    /// Bytes moved, launches, waits and bytes read back, over all samples.
    pub traffic: [f64; 4],
    /// The bytes resident after the last sample, if they are known.
    pub bytes: Option<u64>,
    /// The entries resident after the last sample.
    pub entries: u64,
    /// Whether every sample was compared with the reference.
    pub verified: bool,
    /// Resident batches, operations and seconds of each sample, if plots show them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub each: Vec<(usize, u64, f64)>,
}

impl Summary {
    fn of(structure: &str, records: &[&Record]) -> Option<Self> {
        let medians = medians(records);
        let counting: Vec<_> = medians.iter().copied().filter(|record| !record.sample.extreme).collect();
        let seconds: Vec<_> = counting.iter().map(|record| record.seconds).collect();
        let at = |share| percentile(&seconds, share);
        let sum =
            |number: fn(&Record) -> u64| counting.iter().map(|record| number(record) as f64).sum::<f64>();
        let (operations, total_seconds) = (sum(|record| record.operations), seconds.iter().sum::<f64>());
        let device_seconds = counting.iter().map(|record| record.device_seconds).sum::<Option<f64>>();
        let last = counting.iter().max_by_key(|record| record.sample.r)?;
        let ends = Rates::of(medians.iter().map(|record| record.rate))?;
        let rates = Rates::of(counting.iter().map(|record| record.rate))?;
        let is_drawn = |record: &&&Record| DRAWN_ONE_BY_ONE.contains(&&*record.sample.experiment);
        let each = counting.iter().filter(is_drawn);
        Some(Self {
            structure: structure.into(),
            rates: Rates {
                min: twelve_digits(ends.min),
                max: twelve_digits(ends.max),
                mean: twelve_digits(rates.mean),
                ..rates
            },
            seconds: [at(0.5)?, at(0.95)?, at(0.99)?, at(1.0)?].map(twelve_digits),
            effective: twelve_digits(operations / total_seconds),
            on_device: device_seconds.map(|seconds| twelve_digits(operations / seconds)),
            operations,
            total_seconds: twelve_digits(total_seconds),
            traffic: [
                sum(|record| record.moved),
                sum(|record| record.launches),
                sum(|record| record.waits),
                sum(|record| record.downloaded),
            ],
            bytes: last.bytes,
            entries: last.entries,
            verified: records.iter().all(|record| record.verified),
            each: each
                .map(|record| (record.sample.r, record.operations, twelve_digits(record.seconds)))
                .collect(),
        })
    }

    /// The mean time of a call, in seconds.
    pub fn mean_seconds(&self) -> f64 {
        self.total_seconds / self.rates.samples as f64
    }
}

/// The number with 12 significant digits, which `serde_json` reads back exactly. Of more than 15 it may change the last bit,
/// and a table then rounds what it read differently.
fn twelve_digits(number: f64) -> f64 {
    format!("{number:.11e}").parse().expect("it was a number before")
}

/// For each number of resident batches, the record with the median time of all repetitions.
fn medians<'a>(records: &[&'a Record]) -> Vec<&'a Record> {
    let mut repetitions: BTreeMap<usize, Vec<&Record>> = BTreeMap::new();
    for record in records {
        repetitions.entry(record.sample.r).or_default().push(record);
    }
    let median = |mut records: Vec<&'a Record>| {
        records.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        records[(records.len() - 1) / 2]
    };
    repetitions.into_values().map(median).collect()
}

/// The order of structures in tables and plots.
pub const ORDER: [&str; 11] = [
    "gpu-lsm",
    "paper_lsm",
    "sorted_array",
    "cuckoo_hash",
    "btree_map",
    "btree_map_shared",
    "sorted_vec",
    "redb",
    "bare_sort",
    "copy",
    "gpu-lsm-shards",
];

/// Summarizes records.
pub fn summaries(records: &[Record]) -> Summaries {
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

/// The records of the largest run: those with the largest n. If n varies, those with the batch size of that run.
pub fn largest(records: Vec<Record>) -> Vec<Record> {
    let Some(last) = records.iter().max_by_key(|record| record.sample.n) else { return records };
    let (n, b) = (last.sample.n, last.sample.b);
    let varies = last.sample.experiment == "scaling";
    let is_of_run = |record: &Record| if varies { record.sample.b == b } else { record.sample.n == n };
    records.into_iter().filter(is_of_run).collect()
}

/// The structures besides ours, in their order.
pub(crate) fn others<'a>(groups: impl Iterator<Item = &'a Vec<Summary>>) -> Vec<String> {
    let found: Vec<_> = groups.flatten().map(|summary| summary.structure.clone()).collect();
    let known = ORDER.iter().filter(|name| !["gpu-lsm", "bare_sort", "copy"].contains(name));
    known.filter(|name| found.iter().any(|other| other == *name)).map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::{summaries, twelve_digits};
    use crate::record::experiment::Experiment;
    use crate::record::measurement::{Resident, Timing};
    use crate::record::sample::{Place, Record, Sample};

    fn record(r: usize, repetition: usize, extreme: bool, seconds: f64) -> Record {
        let sample = Experiment::Lookup.sample("gpu-lsm", 64, 8, r, "all");
        let sample = Sample { repetition, extreme, ..sample };
        let place = Place { device: "host".into(), driver: "none".into() };
        let timing = Timing { seconds, ..Timing::default() };
        Record::new(sample, "a run", &place, 100, &timing, Resident::default(), true)
    }

    /// Times of whole nanoseconds, their sums and means, and rates of them.
    #[test]
    fn numbers_of_twelve_digits_are_read_back_exactly() {
        let mut changed = 0;
        for nanoseconds in (1..100_000).map(|i| i * 7919) {
            let seconds = f64::from(nanoseconds) * 1e-9;
            for number in [seconds, seconds / 3.0, seconds / 4.0, 1.0 / seconds, 3e6 / seconds] {
                let read = |number: f64| -> f64 {
                    let written = serde_json::to_string(&number).expect("JSON");
                    serde_json::from_str(&written).expect("a number")
                };
                changed += usize::from(read(number) != number);
                let rounded = twelve_digits(number);
                assert_eq!(read(rounded), rounded);
                assert!((rounded / number - 1.0).abs() < 1e-11);
            }
        }
        assert!(changed > 0, "numbers of all digits are read back exactly too: there is nothing to round");
    }

    #[test]
    fn of_repetitions_the_median_counts_and_extremes_count_only_as_such() {
        let repeated =
            [5.0, 1.0, 2.0].into_iter().enumerate().map(|(at, seconds)| record(3, at, false, seconds));
        let mut records: Vec<_> = repeated.collect();
        records.extend([record(1, 0, true, 0.5), record(4, 0, false, 4.0), record(7, 0, true, 10.0)]);
        let all = summaries(&records);
        let summary = &all.values().next().expect("there is a group")[0];
        let rates = summary.rates;
        assert_eq!((rates.min, rates.max, rates.samples), (10.0, 200.0, 2));
        assert!((rates.mean - 200.0 / 6.0).abs() < 1e-9, "{rates:?}");
        assert_eq!((summary.total_seconds, summary.mean_seconds()), (6.0, 3.0));
    }
}
