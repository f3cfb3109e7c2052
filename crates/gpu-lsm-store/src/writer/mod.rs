//! The task that writes the log of a durable dictionary. It gets batches that were applied in memory, creates their records
//! in order, makes checkpoints, and recovers from failures.
//!
//! Everything reaches it as a message, one after the other, so it needs no locks of its own.

mod checkpoint;
mod checkpoints;
mod message;
mod progress;
mod queue;
mod recover;
mod state;
mod task;

pub(crate) use checkpoints::Checkpoints;
pub(crate) use message::Message;
pub(crate) use progress::{Durable as DurableState, Progress};
pub(crate) use queue::Submission;
pub(crate) use state::Writer;
