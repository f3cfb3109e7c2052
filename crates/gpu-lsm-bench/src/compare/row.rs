//! The rows of a comparison.

use serde::{Deserialize, Serialize};

/// The number of entries of a small batch.
pub const SMALL: usize = 64;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Row {
    /// Batches of new keys, one after the other.
    Insertion,
    /// Batches of keys that exist.
    Overwriting,
    /// All entries at once.
    Build,
    /// The time of one small batch.
    SmallBatch,
    /// Lookups of keys that exist.
    Hits,
    /// Lookups of keys that do not.
    Misses,
    /// Numbers of entries in intervals of a thousand, for the first time after an update. Ours makes sums that later ones use.
    Count,
    /// The entries of intervals of eight.
    ShortRanges,
    /// The entries of intervals of a thousand.
    LongRanges,
    /// Removal of what overwriting left behind.
    Cleanup,
}

impl Row {
    /// All rows, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::Insertion,
        Self::Overwriting,
        Self::Build,
        Self::SmallBatch,
        Self::Hits,
        Self::Misses,
        Self::Count,
        Self::ShortRanges,
        Self::LongRanges,
        Self::Cleanup,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Insertion => "insertion",
            Self::Overwriting => "overwriting",
            Self::Build => "build",
            Self::SmallBatch => "batch of 64",
            Self::Hits => "lookup of present keys",
            Self::Misses => "lookup of missing keys",
            Self::Count => "first count of 1024",
            Self::ShortRanges => "range of 8",
            Self::LongRanges => "range of 1024",
            Self::Cleanup => "cleanup",
        }
    }

    /// The unit of its numbers.
    pub fn unit(self) -> &'static str {
        match self {
            Self::SmallBatch => "µs",
            Self::Insertion | Self::Overwriting | Self::Build | Self::Cleanup => "M entries/s",
            Self::Hits | Self::Misses | Self::Count | Self::ShortRanges | Self::LongRanges => "M queries/s",
        }
    }

    /// Whether less is better.
    pub fn is_time(self) -> bool {
        self == Self::SmallBatch
    }

    /// How many times as fast `one` is as `other`, both in the row's unit.
    pub fn advantage(self, one: f64, other: f64) -> f64 {
        if self.is_time() { other / one } else { one / other }
    }
}
