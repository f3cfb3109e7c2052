//! What the writer's task is told.

use super::queue::Submission;
use crate::error::Result;
use crate::kept::Kept;
use crate::protocol::{Appended, Collected, Version};
use crate::upload::Known;
use tokio::sync::oneshot;

/// What the task is told.
pub(crate) enum Message<D: Kept> {
    /// Write a batch.
    Submit(Box<Submission<D>>),
    /// The creation of a record has ended.
    Created { number: u64, outcome: Result<Appended> },
    /// The time to wait for more batches is over.
    Late,
    /// Publish a version of everything that is acknowledged.
    Checkpoint(oneshot::Sender<Result<u64>>),
    /// The runs of a checkpoint are in the store, or could not be brought there.
    Uploaded(Result<Uploaded>),
    /// The collection after a checkpoint has ended. If it failed, that is no failure of the dictionary: what it left is
    /// collected by a sweep.
    Collected,
    /// A sweep has ended.
    Swept(Result<Collected>),
    /// Collect everything that is left over.
    Sweep(oneshot::Sender<Result<Collected>>),
    /// Try again to recover from a failure.
    Recover(oneshot::Sender<Result<()>>),
    /// End once everything is written.
    Close,
}

/// A state whose runs are in the store.
pub(crate) struct Uploaded {
    /// The epoch of its files.
    pub(super) epoch: u64,
    pub(super) version: Version,
    pub(super) known: Known,
}
