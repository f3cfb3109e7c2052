//! Batches that wait for their record, and records that are in flight.

use crate::error::Result;
use crate::kept::Kept;
use crate::protocol::Appended;
use crate::receipt::Receipt;
use crate::record::BatchEntry;
use bytes::Bytes;
use std::collections::VecDeque;
use std::time::Instant;

/// A batch that was applied in memory.
pub(crate) struct Submission<D: Kept> {
    /// The generation in which it was applied.
    pub(crate) generation: u64,
    pub(crate) entry: BatchEntry,
    /// Its operations, unless they are in parts.
    pub(crate) payload: Bytes,
    /// The bytes that it was accepted with.
    pub(crate) bytes: u64,
    /// The state after it.
    pub(crate) after: D::Snapshot,
    pub(crate) receipt: Receipt,
    pub(crate) since: Instant,
}

/// A record in flight.
pub(crate) struct Flight<D: Kept> {
    pub(crate) number: u64,
    pub(crate) batches: Vec<Submission<D>>,
    /// How its creation ended.
    pub(crate) outcome: Option<Result<Appended>>,
}

impl<D: Kept> Flight<D> {
    /// The bytes that it adds to the log.
    pub(crate) fn log_bytes(&self) -> u64 {
        self.batches.iter().map(|batch| batch.entry.log_bytes()).sum()
    }

    /// The contents of the record.
    pub(crate) fn contents(&self) -> (Vec<BatchEntry>, Bytes) {
        let entries = self.batches.iter().map(|batch| batch.entry.clone()).collect();
        let payload = match &self.batches[..] {
            [only] => only.payload.clone(),
            batches => batches.iter().flat_map(|batch| &batch.payload[..]).copied().collect(),
        };
        (entries, payload)
    }
}

/// Takes the batches that share the next record: at least one, and as many as do not exceed the limit together.
/// There must be one.
pub(crate) fn take_group<D: Kept>(queue: &mut VecDeque<Submission<D>>, limit: usize) -> Vec<Submission<D>> {
    let mut bytes = 0;
    let fits = |batch: &&Submission<D>| {
        bytes += batch.payload.len();
        bytes <= limit
    };
    let count = queue.iter().take_while(fits).count().max(1);
    queue.drain(..count).collect()
}
