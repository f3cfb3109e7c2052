//! The threads that rayon works on: those of the whole program, or some of a device's own.

use crate::error::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::panic::{RefUnwindSafe, UnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

/// The threads that a host backend works on. Clones are the same threads.
#[derive(Debug, Clone)]
pub struct Threads(Option<Arc<ThreadPool>>);

// A panic in one piece of work leaves rayon's threads ready for the next.
impl UnwindSafe for Threads {}
impl RefUnwindSafe for Threads {}

impl Threads {
    /// The threads that rayon has for the whole program.
    pub const SHARED: Self = Self(None);

    /// This many threads of its own; as many as the machine has processors if it is zero.
    ///
    /// # Errors
    /// [`Error::NoThreads`] if they cannot be started.
    pub fn own(threads: usize) -> Result<Self> {
        match ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => Ok(Self(Some(Arc::new(pool)))),
            Err(refusal) => Err(Error::NoThreads { reason: refusal.to_string() }),
        }
    }

    /// Does work whose parallel parts run on these threads.
    pub(super) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Makes sure that there are threads.
    ///
    /// # Errors
    /// [`Error::NoThreads`] if there are none.
    pub(super) fn check(&self) -> Result<()> {
        if self.0.is_some() { Ok(()) } else { check() }
    }
}

/// Makes sure that there are threads, before anything else asks rayon for one. Rayon starts its threads on first use,
/// for the whole program, and panics if it cannot.
///
/// # Errors
/// [`Error::NoThreads`] if there are none: now and on every later call, because rayon does not try again.
fn check() -> Result<()> {
    static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
    let started = STARTED.get_or_init(start).clone();
    started.map_err(|reason| Error::NoThreads { reason })
}

fn start() -> Result<(), String> {
    let Err(refusal) = ThreadPoolBuilder::new().build_global() else { return Ok(()) };
    if std::error::Error::source(&refusal).is_some() {
        return Err(refusal.to_string());
    }
    // The program itself has started them, or has tried and failed. Rayon reveals which by a panic.
    let told = catch_unwind(rayon::current_num_threads);
    told.map(drop).map_err(|_| "rayon could not start them when the program asked it".into())
}
