//! Manifests: each is a whole state of the store. Creating the next number is what commits it.

use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::names::{self, FileId};
use crate::nonce::Nonce;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format that this program writes, and the latest that it reads.
pub const FORMAT: u32 = 1;
/// The most entries of a file. A longer run has several files.
pub const MOST_FILE_ENTRIES: u64 = 1 << 21;
/// More bytes than any file can have.
const MOST_FILE_BYTES: u64 = 1 << 32;
/// Numbers are below this, so that counting on from them can't overflow.
const END_OF_NUMBERS: u64 = 1 << 63;

/// The contents of `manifest/NUMBER.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the format.
    pub format: u32,
    /// Its own number.
    pub number: u64,
    /// The attempt that created it.
    pub nonce: Nonce,
    /// The writer that created it.
    pub epoch: u64,
    /// Why it was created.
    pub kind: Kind,
    /// The name of the key type.
    pub key: String,
    /// The name of the value type.
    pub value: String,
    /// `b`, the capacity of the smallest level.
    pub batch_size: u64,
    /// Where the log goes on.
    pub log: LogState,
    /// The numbers of the retained versions, ascending.
    pub versions: Vec<u64>,
    /// What may have been collected.
    pub boundary: Boundary,
    /// The last batch of each caller that is part of this state.
    pub callers: BTreeMap<String, Last>,
    /// The shards in ascending order of keys. The first starts at the smallest key.
    pub shards: Vec<Shard>,
}

/// Why a manifest was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A writer took an epoch. The state is that of the manifest before. It is never deleted.
    Epoch,
    /// A state of the dictionary: a version, unless it only drops others and has the state of the manifest before.
    Version,
}

/// The part of the log that a manifest covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogState {
    /// The first record that is not part of the state.
    pub position: u64,
    /// The highest epoch of the records before it.
    pub epoch: u64,
    /// Up to the position: the fences, and the void records that a writer passed before it fenced. They are never deleted. Of those
    /// below the boundary only the last are named.
    pub fences: Vec<u64>,
    /// The last part that a record before the position names; nothing if there is none.
    pub last_part: Option<FileId>,
}

/// Objects below these numbers may have been deleted, except epochs and what [`LogState::fences`] has named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boundary {
    /// The first manifest that is retained.
    pub manifest: u64,
    /// The first record that is retained.
    pub log: u64,
}

/// The last batch of a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Last {
    /// Its number.
    pub number: u64,
    /// The checksum of its operations.
    pub crc32c: Checksum,
}

/// A range of keys and the runs of a dictionary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// The code of its first key. It ends where the next shard begins.
    pub from: u64,
    /// Its runs, newest first.
    pub runs: Vec<RunEntry>,
}

/// A run of a shard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunEntry {
    /// Its level.
    pub level: u32,
    /// Its entries, tombstones included.
    pub entries: u64,
    /// The number of these that are tombstones.
    pub tombstones: u64,
    /// The code of its smallest key.
    pub first: u64,
    /// The code of its largest key.
    pub last: u64,
    /// Its files, in ascending order of keys.
    pub files: Vec<RunFile>,
}

/// A file of a run: `runs/ID.parquet`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    /// Its identity.
    pub id: FileId,
    /// Its entries, tombstones included.
    pub entries: u64,
    /// Its length.
    pub bytes: u64,
    /// The checksum of the whole file.
    pub crc32c: Checksum,
}

impl Manifest {
    /// The files that it names.
    pub fn files(&self) -> impl Iterator<Item = &RunFile> {
        self.shards.iter().flat_map(|shard| &shard.runs).flat_map(|run| &run.files)
    }

    /// The bytes of the object: JSON, with a checksum of the text of its second member.
    ///
    /// ```json
    /// {"crc32c":"01234567","manifest":{…}}
    /// ```
    pub fn encode(&self) -> Bytes {
        let text = serde_json::to_string(self).expect("a manifest has only maps with strings as keys");
        let checksum = Checksum::of(text.as_bytes());
        format!("{}{checksum}{}{text}{}", FRAME[0], FRAME[1], FRAME[2]).into()
    }

    /// The manifest of this number from its bytes.
    ///
    /// # Errors
    /// If the bytes are not those of such a manifest, or of a format that is not known.
    pub fn decode(number: u64, bytes: &[u8]) -> Result<Self> {
        let corrupt = |what: &str| Error::corrupt(names::manifest(number), what);
        let body = body(bytes).ok_or_else(|| corrupt("its checksum does not match, or it was cut off"))?;
        // A later format may have other members, so its number is looked at first.
        let Format { format } = serde_json::from_slice(body).map_err(|error| corrupt(&error.to_string()))?;
        if format > FORMAT {
            return Err(Error::NewerFormat { format, known: FORMAT });
        }
        let manifest: Self = serde_json::from_slice(body).map_err(|error| corrupt(&error.to_string()))?;
        match manifest.broken_rule(number) {
            Some(what) => Err(corrupt(&what)),
            None => Ok(manifest),
        }
    }

    /// The first rule that it breaks.
    fn broken_rule(&self, number: u64) -> Option<String> {
        if self.number != number {
            return Some(format!("it says that it is number {}", self.number));
        }
        self.broken_number().map(Into::into).or_else(|| self.broken_shard())
    }

    fn broken_number(&self) -> Option<&'static str> {
        let Self { number, epoch, log, versions, boundary, .. } = self;
        if [*number, *epoch, log.position].iter().any(|&number| number >= END_OF_NUMBERS) {
            return Some("a number is too large");
        }
        if [*number, *epoch, log.position, boundary.manifest, boundary.log].contains(&0)
            || versions.contains(&0)
        {
            return Some("a number is zero, and all begin with 1");
        }
        if log.epoch > *epoch {
            return Some("its log has a higher epoch");
        }
        if !versions.is_sorted_by(|a, b| a < b) || versions.last() > Some(number) {
            return Some("its versions do not ascend up to it");
        }
        if !log.fences.is_sorted_by(|a, b| a < b) || log.fences.last() >= Some(&log.position) {
            return Some("its fences do not ascend up to its position");
        }
        if boundary.manifest > *number || boundary.log > log.position {
            return Some("its boundary is ahead of it");
        }
        (self.batch_size == 0).then_some("its smallest level holds nothing")
    }

    fn broken_shard(&self) -> Option<String> {
        if self.shards.first().is_none_or(|shard| shard.from != 0) {
            return Some("no shard begins at the smallest key".into());
        }
        if !self.shards.is_sorted_by(|a, b| a.from < b.from) {
            return Some("its shards do not ascend".into());
        }
        let ends = self.shards.iter().skip(1).map(|next| Some(next.from)).chain([None]);
        self.shards.iter().zip(ends).find_map(|(shard, end)| shard.broken_rule(end))
    }
}

impl Shard {
    /// The first rule that it breaks, if it ends before this key.
    fn broken_rule(&self, end: Option<u64>) -> Option<String> {
        let is_outside = |run: &RunEntry| run.first < self.from || end.is_some_and(|end| run.last >= end);
        self.runs.iter().find_map(|run| match run.contradicts_itself() {
            true => Some(format!("the run on level {} contradicts itself", run.level)),
            false => {
                is_outside(run).then(|| format!("the run on level {} is outside of its shard", run.level))
            }
        })
    }
}

impl RunEntry {
    fn contradicts_itself(&self) -> bool {
        if self.files.iter().any(|file| file.entries > MOST_FILE_ENTRIES || file.bytes > MOST_FILE_BYTES) {
            return true;
        }
        let entries: u64 = self.files.iter().map(|file| file.entries).sum();
        let is_right = entries == self.entries && entries > 0 && self.tombstones <= entries;
        !is_right || self.first > self.last
    }
}

/// The text around the checksum and the manifest.
const FRAME: [&str; 3] = ["{\"crc32c\":\"", "\",\"manifest\":", "}\n"];

/// The manifest's own text, if its checksum is right.
fn body(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(FRAME[0].as_bytes())?;
    let (checksum, rest) = rest.split_at_checked(8)?;
    let body = rest.strip_prefix(FRAME[1].as_bytes())?.strip_suffix(FRAME[2].as_bytes())?;
    (Checksum::of(body).to_string().as_bytes() == checksum).then_some(body)
}

/// The only member that every format has.
#[derive(Deserialize)]
struct Format {
    format: u32,
}
