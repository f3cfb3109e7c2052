//! Which checkpoints and collections are in progress, and who waits for them.

use crate::error::{Error, Result};
use crate::protocol::Collected;
use crate::upload::Known;
use tokio::sync::oneshot::Sender;

/// The checkpoints of a writer.
#[derive(Default)]
pub(crate) struct Checkpoints {
    /// The runs in memory that some manifest may name.
    pub(super) known: Known,
    /// The bytes of the log since the last checkpoint began.
    pub(super) log_bytes: u64,
    /// The bytes of the log before that, which are its share, and if it fails the next one's.
    pub(super) taken_bytes: u64,
    /// Whether runs are being brought to the store.
    pub(super) is_uploading: bool,
    /// How many collections and sweeps are in progress.
    pub(super) collecting: u32,
    /// Who waits for the checkpoint in progress, and for the one after it.
    pub(super) served: Vec<Sender<Result<u64>>>,
    pub(super) waiting: Vec<Sender<Result<u64>>>,
    pub(super) sweeps: Vec<Sender<Result<Collected>>>,
    pub(super) sweeping: Option<Sender<Result<Collected>>>,
}

impl Checkpoints {
    pub(crate) fn new(known: Known, log_bytes: u64) -> Self {
        Self { known, log_bytes, ..Self::default() }
    }

    pub(super) fn is_busy(&self) -> bool {
        let is_asked = !self.waiting.is_empty() || !self.sweeps.is_empty();
        self.is_uploading || self.collecting > 0 || is_asked
    }

    /// Whether so much of the log is in no checkpoint that one must be made. After one that failed, an eighth of it must be new. Some
    /// of it always must: if no bytes at all are enough, each checkpoint would otherwise lead to the next.
    pub(super) fn is_due(&self, checkpoint_bytes: u64) -> bool {
        let (is_new, is_again) = (self.log_bytes > 0, self.taken_bytes > 0);
        let is_enough = self.log_bytes.saturating_add(self.taken_bytes) >= checkpoint_bytes;
        is_new && is_enough && (!is_again || self.log_bytes >= checkpoint_bytes / 8)
    }

    pub(super) fn ask(&mut self, reply: Sender<Result<u64>>) {
        self.waiting.push(reply);
    }

    pub(super) fn ask_sweep(&mut self, reply: Sender<Result<Collected>>) {
        self.sweeps.push(reply);
    }

    pub(super) fn swept(&mut self, collected: &Result<Collected>) {
        self.collecting -= 1;
        answer(self.sweeping.take(), collected);
    }

    /// Tells all who wait that nothing can be written.
    pub(super) fn fail(&mut self, error: &Error) {
        answer(self.waiting.drain(..), &Err(error.clone()));
        answer(self.sweeps.drain(..), &Err(error.clone()));
    }
}

/// Answers all who wait. Those who wait no more are left out.
pub(super) fn answer<T: Clone>(replies: impl IntoIterator<Item = Sender<Result<T>>>, result: &Result<T>) {
    for reply in replies {
        let _ = reply.send(result.clone());
    }
}
