//! Receipts: how a caller learns that a batch is durable.

use crate::error::Result;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

/// Stands for a batch that was accepted and may not be durable yet.
///
/// It can be waited for, or awaited in any runtime. Dropping it changes nothing.
#[derive(Debug, Clone)]
pub struct Receipt {
    slot: Arc<Slot>,
}

#[derive(Debug, Default)]
struct Slot {
    state: Mutex<State>,
    done: Condvar,
}

#[derive(Debug, Default)]
struct State {
    outcome: Option<Result<u64>>,
    wakers: Vec<Waker>,
}

impl Receipt {
    pub(crate) fn new() -> Self {
        Self { slot: Arc::default() }
    }

    /// The receipt of a batch that is durable already.
    pub(crate) fn of(number: u64) -> Self {
        let receipt = Self::new();
        receipt.resolve(&Ok(number));
        receipt
    }

    /// Waits until the batch is durable, or is known not to be. Returns the number of the log record that has it.
    ///
    /// # Errors
    /// [`Error::NotWritten`](crate::Error::NotWritten) or [`Error::Fenced`](crate::Error::Fenced) if the batch is not in the
    /// store and never will be; another error if that is not known.
    pub fn wait(&self) -> Result<u64> {
        let mut state = self.lock();
        loop {
            if let Some(outcome) = &state.outcome {
                return outcome.clone();
            }
            state = self.slot.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// As [`wait`](Self::wait), but at most this long; `None` if it is not known by then.
    pub fn wait_for(&self, timeout: Duration) -> Option<Result<u64>> {
        let is_open = |state: &mut State| state.outcome.is_none();
        let waited = self.slot.done.wait_timeout_while(self.lock(), timeout, is_open);
        waited.unwrap_or_else(PoisonError::into_inner).0.outcome.clone()
    }

    /// What [`wait`](Self::wait) would return, if it is known by now.
    pub fn outcome(&self) -> Option<Result<u64>> {
        self.lock().outcome.clone()
    }

    pub(crate) fn resolve(&self, outcome: &Result<u64>) {
        let mut state = self.lock();
        state.outcome.get_or_insert_with(|| outcome.clone());
        state.wakers.drain(..).for_each(Waker::wake);
        self.slot.done.notify_all();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.slot.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Future for Receipt {
    type Output = Result<u64>;

    fn poll(self: std::pin::Pin<&mut Self>, context: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        let mut state = self.lock();
        match &state.outcome {
            Some(outcome) => Poll::Ready(outcome.clone()),
            None => {
                state.wakers.push(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
