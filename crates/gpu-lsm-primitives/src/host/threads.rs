//! The threads that rayon works on.

use crate::error::{Error, Result};
use rayon::ThreadPoolBuilder;
use std::panic::catch_unwind;
use std::sync::OnceLock;

/// Makes sure that there are threads, before anything else asks rayon for one. Rayon starts its threads on first use,
/// for the whole program, and panics if it cannot.
///
/// # Errors
/// [`Error::NoThreads`] if there are none: now and on every later call, because rayon does not try again.
pub(super) fn check() -> Result<()> {
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
