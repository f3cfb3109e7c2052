//! The names of objects within a store.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The folder of manifests.
pub const MANIFESTS: &str = "manifest";
/// The folder of log records.
pub const LOG: &str = "log";
/// The folder of runs.
pub const RUNS: &str = "runs";
/// The folder of parts of large batches.
pub const PARTS: &str = "parts";

/// The name of a manifest.
pub fn manifest(number: u64) -> String {
    format!("{MANIFESTS}/{number:020}.json")
}

/// The name of a log record.
pub fn record(number: u64) -> String {
    format!("{LOG}/{number:020}.arrow")
}

/// The name of a file of a run.
pub fn run(id: FileId) -> String {
    format!("{RUNS}/{id}.parquet")
}

/// The name of a part of a batch.
pub fn part(id: FileId) -> String {
    format!("{PARTS}/{id}.arrow")
}

/// The number in the name of a manifest or a log record; `None` if it is the name of something else.
pub fn number(name: &str) -> Option<u64> {
    let number = stem(name)?.parse().ok()?;
    [manifest(number), record(number)].contains(&name.to_string()).then_some(number)
}

/// The identity in the name of a run's file or of a part; `None` if it is the name of something else.
pub fn file_id(name: &str) -> Option<FileId> {
    let id = stem(name)?.parse().ok()?;
    [run(id), part(id)].contains(&name.to_string()).then_some(id)
}

fn stem(name: &str) -> Option<&str> {
    Some(name.rsplit_once('/')?.1.split_once('.')?.0)
}

/// The identity of a file: the epoch of the writer that made it, and a number that this writer uses once. So no two
/// files ever have the same identity, and a writer knows the files of later writers, which it must not delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FileId {
    /// The epoch of the writer.
    pub epoch: u64,
    /// The number within the epoch.
    pub number: u64,
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}-{:016x}", self.epoch, self.number)
    }
}

impl FromStr for FileId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (epoch, number) = text.split_once('-')?;
            Some(Self { epoch: digits(epoch)?, number: digits(number)? })
        };
        parse().ok_or_else(|| format!("{text:?} is no identity of a file"))
    }
}

fn digits(text: &str) -> Option<u64> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() == 16 && text.bytes().all(is_digit) { u64::from_str_radix(text, 16).ok() } else { None }
}

impl TryFrom<String> for FileId {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<FileId> for String {
    fn from(id: FileId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_their_numbers_and_lead_back_to_them() {
        assert!(record(9) < record(10) && record(u64::MAX) > record(1 << 40));
        for n in [0, 7, u64::MAX] {
            assert_eq!((number(&record(n)), number(&manifest(n))), (Some(n), Some(n)));
            let id = FileId { epoch: n, number: n / 2 };
            assert_eq!((file_id(&run(id)), file_id(&part(id))), (Some(id), Some(id)));
        }
        assert_eq!(number("log/00000000000000000007#1.arrow"), None);
        assert_eq!(number("log/7.arrow"), None);
        assert_eq!(file_id("runs/+000000000000001-0000000000000001.parquet"), None);
    }
}
