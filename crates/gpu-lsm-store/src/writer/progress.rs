//! What the writer's task and its dictionary both see.

use crate::error::Error;
use crate::kept::Kept;
use crate::manifest::{Last, LogState};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A state that is in the log.
pub(crate) struct Durable<D: Kept> {
    pub(crate) snapshot: D::Snapshot,
    pub(crate) callers: BTreeMap<String, Last>,
    pub(crate) log: LogState,
}

impl<D: Kept> Clone for Durable<D> {
    fn clone(&self) -> Self {
        let Self { snapshot, callers, log } = self;
        Self { snapshot: snapshot.clone(), callers: callers.clone(), log: log.clone() }
    }
}

/// How far the writer has come.
pub(crate) struct Progress<D: Kept> {
    state: Mutex<State<D>>,
    changed: Condvar,
}

pub(crate) struct State<D: Kept> {
    /// What is acknowledged.
    pub(crate) durable: Durable<D>,
    /// Grows with each failure. Batches that were prepared before it are refused, since they build upon a state that is gone.
    pub(crate) generation: u64,
    /// Why nothing can be written now.
    pub(crate) broken: Option<Error>,
    /// Bytes of batches that were accepted and are not acknowledged.
    pub(crate) in_flight: u64,
}

impl<D: Kept> Progress<D> {
    pub(crate) fn new(durable: Durable<D>) -> Self {
        let state = State { durable, generation: 0, broken: None, in_flight: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State<D>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes who waits for that.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut State<D>) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Waits until a batch of this many bytes may be accepted, and accepts it. A batch that is larger than the limit is
    /// accepted alone. If nothing can be written, it is accepted at once, and refused by the task.
    pub(crate) fn accept(&self, bytes: u64, limit: u64) {
        let is_full = |state: &mut State<D>| {
            state.broken.is_none() && state.in_flight > 0 && state.in_flight + bytes > limit
        };
        let state = self.changed.wait_while(self.lock(), is_full);
        state.unwrap_or_else(PoisonError::into_inner).in_flight += bytes;
    }
}
