//! The threads that rayon works on.

use crate::error::{Error, Result};
use rayon::ThreadPoolBuilder;
use std::panic::catch_unwind;
use std::sync::OnceLock;

/// Makes sure that there are threads to work on, before anything asks rayon for one: it starts them when it is first
/// asked, for the whole program, and panics where it can't.
///
/// # Errors
/// [`Error::NoThreads`] where there are none: then and ever after, as rayon does not try again.
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
    // The program has started them, or has tried in vain: which it was, rayon tells by a panic.
    let told = catch_unwind(rayon::current_num_threads);
    told.map(drop).map_err(|_| "rayon could not start them when the program asked it".into())
}
