//! The threads that wait for object stores, so that callers need no async runtime of their own.

use crate::error::{Error, Result};
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::runtime::{Builder, Runtime};

/// The runtime of all stores of this process. Started with the first one.
///
/// The child of a fork has none of its parent's threads, and gets a runtime of its own. What its parent opened stays with the
/// parent's threads.
pub(crate) fn runtime() -> Result<&'static Runtime> {
    static FIRST: OnceLock<(u32, Result<Runtime>)> = OnceLock::new();
    /// Locked only in children, so that no fork finds it locked by a thread that is gone.
    static CHILD: Mutex<Option<(u32, &'static Runtime)>> = Mutex::new(None);
    let process = std::process::id();
    let (first, runtime) = FIRST.get_or_init(|| (process, start()));
    if *first == process {
        return runtime.as_ref().map_err(Clone::clone);
    }
    let mut child = CHILD.lock().unwrap_or_else(PoisonError::into_inner);
    match *child {
        Some((owner, runtime)) if owner == process => Ok(runtime),
        _ => {
            let runtime = Box::leak(Box::new(start()?));
            *child = Some((process, runtime));
            Ok(runtime)
        }
    }
}

fn start() -> Result<Runtime> {
    let runtime =
        Builder::new_multi_thread().worker_threads(2).thread_name("gpu-lsm-store").enable_all().build();
    runtime.map_err(|error| Error::Unavailable {
        doing: "starting",
        name: "threads".into(),
        reason: error.to_string(),
    })
}

/// What a task is once its type is forgotten, so that tokio's part is compiled once, and not for each type of dictionary.
type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Starts a task.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    let task: Task = Box::pin(task);
    tokio::spawn(task);
}

/// Waits for a future that the runtime's threads drive. Unlike `Runtime::block_on`, it may be called from a thread of another
/// runtime, which it blocks.
pub(crate) fn wait<T: Send + 'static>(future: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    let outcome = Slot::default();
    let slot = outcome.clone();
    finish(Box::pin(async move { slot.fill(future.await) }))?;
    outcome.take()
}

fn finish(task: Task) -> Result<()> {
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    let task = runtime()?.spawn(async move {
        task.await;
        // Nobody waits any more if this fails.
        let _ = sender.send(());
    });
    let gone = |_| Error::Unavailable {
        doing: "waiting for",
        name: "a task".into(),
        reason: if task.is_finished() { "it panicked".into() } else { "it was stopped".into() },
    };
    receiver.recv().map_err(gone)
}

/// Runs what takes long on the processor, or waits for a device, where it stops no other task.
pub(crate) async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let outcome = Slot::default();
    let slot = outcome.clone();
    finish_aside(Box::new(move || slot.fill(work()))).await?;
    outcome.take()
}

async fn finish_aside(work: Box<dyn FnOnce() + Send>) -> Result<()> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Error::Unavailable {
        doing: "waiting for",
        name: "a task".into(),
        reason: error.to_string(),
    })
}

/// The outcome of a task.
struct Slot<T>(Arc<Mutex<Option<Result<T>>>>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Slot<T> {
    fn fill(&self, outcome: Result<T>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    }

    fn take(&self) -> Result<T> {
        let outcome = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        outcome.expect("a task that has ended has filled its slot")
    }
}
