//! Appending to the log.

use super::leader::{Leader, same_epoch};
use crate::error::{Error, Result};
use crate::manifest::LogState;
use crate::names::{self, FileId};
use crate::nonce::Nonce;
use crate::objects::Objects;
use crate::record::{BatchEntry, Content, Header, Record};
use bytes::Bytes;
use std::sync::Arc;

/// A record that is about to be created.
#[derive(Debug)]
pub struct Append {
    objects: Arc<dyn Objects>,
    number: u64,
    epoch: u64,
    nonce: Nonce,
    bytes: Bytes,
}

/// How an attempt to append ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// The record exists.
    Done,
    /// The number is taken by a void record of an earlier writer. The next number must be tried.
    Void,
}

impl Leader {
    /// A record with the next number.
    pub fn append(&mut self, batches: Vec<BatchEntry>, payload: Bytes) -> Append {
        let (number, epoch, nonce) = (self.next, self.epoch(), self.nonces.next());
        self.next += 1;
        let header = Header { epoch, nonce, content: Content::Batches(batches) };
        let bytes = Record { header, payload }.encode();
        Append { objects: Arc::clone(&self.objects), number, epoch, nonce, bytes }
    }

    /// The log before this position, if all records before it exist.
    pub fn log_before(&self, position: u64, last_part: Option<FileId>) -> LogState {
        let fences = self.fences.iter().copied().filter(|&fence| fence < position).collect();
        LogState { position, epoch: self.epoch(), fences, last_part }
    }
}

impl Append {
    /// The record's number.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The length of the object.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Creates the record. It is part of the log once this and all records before it are done.
    ///
    /// # Errors
    /// [`Error::Fenced`] for good, if a higher epoch has the number. After any error it is not known whether the record counts:
    /// [`Leader::claim_again`] and [`Leader::fates`] find out.
    pub async fn run(self) -> Result<Appended> {
        let name = names::record(self.number);
        if self.objects.create(&name, self.bytes).await? {
            return Ok(Appended::Done);
        }
        // If it is gone, it may have been this very record, which somebody else has replayed and collected.
        let there = self.objects.read(&name).await?.ok_or_else(|| Error::vanished(&name))?;
        let there = Record::decode(self.number, &there)?.header;
        match there.epoch {
            _ if there.nonce == self.nonce => Ok(Appended::Done),
            by if by > self.epoch => Err(Error::Fenced { epoch: self.epoch, by }),
            by if by < self.epoch => Ok(Appended::Void),
            _ => Err(same_epoch(name)),
        }
    }
}
