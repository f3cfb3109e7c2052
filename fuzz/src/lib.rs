//! Turns bytes into scripts of operations, and runs them on a dictionary beside its model.
//!
//! The operations are those of the scripts in `testdata`, plus chains, which pass results to further calls. All targets
//! read a script with the same code; `operations`, `kinds` and `failures` differ in their dictionaries.

#![allow(clippy::missing_panics_doc, reason = "a panic is what a fuzzer looks for")]

mod script;
mod step;

pub use script::{Runner, Shape};
pub use step::{Interval, Pick, Step, all};

use std::sync::Once;

/// Makes the host backend work on the calling thread only: faster for a few entries, and deterministic.
pub fn on_this_thread() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        pool.build_global().expect("nothing has used the pool before");
    });
}
