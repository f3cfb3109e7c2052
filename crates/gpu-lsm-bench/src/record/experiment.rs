//! The experiments: those of the paper's evaluation, and some beyond it.

use crate::error::{Error, Result};
use crate::record::sample::{KeyKind, Sample};
use std::str::FromStr;

/// An experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Experiment {
    /// Insertion rate by batch size, with the sort of a batch and the merging also measured separately.
    Insert,
    /// Batch time over resident batches, and effective insertion rate.
    BatchTime,
    /// Lookups of keys none or all of which are present.
    Lookup,
    /// Counts and ranges of 8 and of 1024 entries.
    Ranges,
    /// Cleanup with 10 % and 50 % stale entries, and lookups before and after.
    Cleanup,
    /// Bulk build.
    Build,
    /// Batches that overwrite existing keys.
    Steady,
    /// A sliding window, whose oldest entries are deleted key by key.
    Window,
    /// A sliding window, whose oldest entries are deleted as an interval.
    Expiry,
    /// Keys in clusters.
    Clustered,
    /// Rates as a function of n.
    Scaling,
    /// Shards that are split, beside the plain dictionary.
    Shards,
    /// Bytes, launches and waits.
    Traffic,
}

impl Experiment {
    /// All experiments.
    pub const ALL: [Self; 13] = [
        Self::Insert,
        Self::BatchTime,
        Self::Lookup,
        Self::Ranges,
        Self::Cleanup,
        Self::Build,
        Self::Steady,
        Self::Window,
        Self::Expiry,
        Self::Clustered,
        Self::Scaling,
        Self::Shards,
        Self::Traffic,
    ];

    /// Its name on the command line, in records, and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::BatchTime => "batch-time",
            Self::Lookup => "lookup",
            Self::Ranges => "ranges",
            Self::Cleanup => "cleanup",
            Self::Build => "build",
            Self::Steady => "steady",
            Self::Window => "window",
            Self::Expiry => "expiry",
            Self::Clustered => "clustered",
            Self::Scaling => "scaling",
            Self::Shards => "shards",
            Self::Traffic => "traffic",
        }
    }

    /// The part of the paper that it repeats.
    pub fn of_the_paper(self) -> &'static str {
        match self {
            Self::Insert => "Table II",
            Self::BatchTime => "Figure on insertion, (a) and (b)",
            Self::Lookup => "Table III",
            Self::Ranges => "Table IV",
            Self::Cleanup => "Section on cleanup",
            Self::Build => "Table II, hash table; bulk build",
            _ => "beyond the paper",
        }
    }

    /// What it measures.
    pub fn title(self) -> &'static str {
        match self {
            Self::Insert => "Insertion rate by batch size",
            Self::BatchTime => "Batch time and effective insertion rate",
            Self::Lookup => "Lookup rate",
            Self::Ranges => "Count and range rate",
            Self::Cleanup => "Cleanup, and lookups before and after it",
            Self::Build => "Bulk build",
            Self::Steady => "Steady overwriting",
            Self::Window => "Sliding window, key by key",
            Self::Expiry => "Sliding window, by interval",
            Self::Clustered => "Keys in clusters",
            Self::Scaling => "Rate against n",
            Self::Shards => "Ascending keys in shards, and what splits cost",
            Self::Traffic => "What operations move",
        }
    }

    /// Whether it is measured at several batch sizes, of which some can be chosen.
    pub fn has_batch_sizes(self) -> bool {
        matches!(self, Self::Insert | Self::BatchTime | Self::Lookup | Self::Ranges)
    }

    /// The percentage of the total time that it gets.
    pub fn share(self) -> u32 {
        match self {
            Self::Insert | Self::Lookup => 18,
            Self::Ranges => 18,
            Self::BatchTime | Self::Scaling => 8,
            Self::Cleanup | Self::Steady | Self::Clustered => 5,
            Self::Traffic => 5,
            Self::Window | Self::Build => 3,
            Self::Expiry | Self::Shards => 2,
        }
    }

    /// A sample of this experiment, with uniform keys and without intervals.
    pub(crate) fn sample(self, structure: &str, n: usize, b: usize, r: usize, case: &str) -> Sample {
        Sample {
            experiment: self.name().into(),
            structure: structure.into(),
            keys: KeyKind::Uniform,
            b,
            n,
            r,
            l: None,
            case: case.into(),
            repetition: 0,
            extreme: false,
        }
    }
}

impl FromStr for Experiment {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|experiment| experiment.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|experiment| experiment.name()).collect();
            Error::Asked(format!("no experiment is called {name:?}; there are: {}", names.join(", ")))
        })
    }
}
