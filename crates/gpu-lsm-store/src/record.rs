//! Log records: one object each, which holds batches or is a fence.
//!
//! ```text
//! streams of the batches  |  header, JSON  |  its length, u32  |  crc32c of all before, u32  |  "GPULSM\x01\n"
//! ```
//!
//! The first batch's operations come first, so that programs that read Arrow streams can read them.

use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::names::{self, FileId};
use crate::nonce::Nonce;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// A log record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What it says about itself and its batches.
    pub header: Header,
    /// The streams of its batches, one after the other.
    pub payload: Bytes,
}

/// What a record says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The writer that created it.
    pub epoch: u64,
    /// The attempt that created it.
    pub nonce: Nonce,
    /// What it is.
    pub content: Content,
}

/// What a record is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// The end of the log of all lower epochs.
    Fence,
    /// Batches, to be applied in this order.
    Batches(Vec<BatchEntry>),
}

/// A batch of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchEntry {
    /// The code of the operation that is applied to all rows.
    pub operation: String,
    /// The number of rows.
    pub rows: u64,
    /// The checksum of the columns, as [`Columns of a batch`](crate::operation) defines it.
    pub crc32c: Checksum,
    /// Where the rows are.
    pub place: Place,
    /// Who wrote it, if the caller numbers its batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl BatchEntry {
    /// The last part that it names.
    pub fn last_part(&self) -> Option<FileId> {
        match &self.place {
            Place::Here(_) => None,
            Place::Parts(parts) => parts.iter().map(|part| part.id).max(),
        }
    }

    /// The bytes that it adds to the log, those of its parts included; at least one, so that operations without rows count too.
    pub fn log_bytes(&self) -> u64 {
        let bytes = match &self.place {
            Place::Here(bytes) => *bytes,
            // What a record says of its parts is looked at before they are read, and may be anything.
            Place::Parts(parts) => parts.iter().fold(0, |sum, part| part.bytes.saturating_add(sum)),
        };
        bytes.max(1)
    }
}

/// Where the rows of a batch are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In the record: this many bytes, after those of the batch before.
    Here(u64),
    /// In parts that were written before the record, in this order.
    Parts(Vec<Part>),
}

/// A part of a large batch: `parts/ID.arrow`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its identity.
    pub id: FileId,
    /// The number of rows.
    pub rows: u64,
    /// Its length.
    pub bytes: u64,
    /// The checksum of the whole file.
    pub crc32c: Checksum,
}

/// A caller and its number for a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The caller's name.
    pub caller: String,
    /// The number that the caller gave the batch: 1 for its first, and then one more each time.
    pub number: u64,
}

const MAGIC: &[u8; 8] = b"GPULSM\x01\n";
/// The header's length, the checksum and the magic.
const TRAILER: usize = 16;

impl Record {
    /// A fence.
    pub fn fence(epoch: u64, nonce: Nonce) -> Self {
        Self { header: Header { epoch, nonce, content: Content::Fence }, payload: Bytes::new() }
    }

    /// Whether it is a fence.
    pub fn is_fence(&self) -> bool {
        self.header.content == Content::Fence
    }

    /// Its batches; none if it is a fence.
    pub fn batches(&self) -> &[BatchEntry] {
        match &self.header.content {
            Content::Fence => &[],
            Content::Batches(batches) => batches,
        }
    }

    /// The last part that it names.
    pub fn last_part(&self) -> Option<FileId> {
        self.batches().iter().filter_map(BatchEntry::last_part).max()
    }

    /// The bytes that its batches add to the log.
    pub fn log_bytes(&self) -> u64 {
        self.batches().iter().fold(0, |sum, batch| batch.log_bytes().saturating_add(sum))
    }

    /// The bytes of the object.
    pub fn encode(&self) -> Bytes {
        let header = serde_json::to_vec(&self.header).expect("a header has no maps");
        let mut bytes = Vec::with_capacity(self.payload.len() + header.len() + TRAILER);
        bytes.extend_from_slice(&self.payload);
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        let Checksum(checksum) = Checksum::of(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes.extend_from_slice(MAGIC);
        bytes.into()
    }

    /// The record of this number from its bytes.
    ///
    /// # Errors
    /// If the bytes are not those of a record.
    pub fn decode(number: u64, bytes: &Bytes) -> Result<Self> {
        let corrupt = |what: &str| Error::corrupt(names::record(number), what);
        let (header, payload) =
            split(bytes).ok_or_else(|| corrupt("its checksum does not match, or it was cut off"))?;
        let header: Header = serde_json::from_slice(header).map_err(|error| corrupt(&error.to_string()))?;
        let record = Self { header, payload: bytes.slice(..payload) };
        if record.bytes_here() != Some(payload as u64) {
            return Err(corrupt("its batches have other lengths than it says"));
        }
        Ok(record)
    }

    /// The bytes that its batches say are in it.
    fn bytes_here(&self) -> Option<u64> {
        self.batches().iter().try_fold(0u64, |sum, batch| match batch.place {
            Place::Here(bytes) => sum.checked_add(bytes),
            Place::Parts(_) => Some(sum),
        })
    }
}

/// The header and the length of the payload, if the checksum is right.
fn split(bytes: &Bytes) -> Option<(&[u8], usize)> {
    let (rest, magic) = bytes.split_last_chunk::<8>()?;
    let (rest, checksum) = rest.split_last_chunk::<4>()?;
    if magic != MAGIC || Checksum::of(rest) != Checksum(u32::from_le_bytes(*checksum)) {
        return None;
    }
    let (rest, len) = rest.split_last_chunk::<4>()?;
    let payload = rest.len().checked_sub(u32::from_le_bytes(*len) as usize)?;
    Some((&rest[payload..], payload))
}
