//! Scripts of operations made from bytes, and a dictionary beside its model that follows them.
//!
//! The operations are those of the scripts in `testdata`, and results that are given to further calls. A script is read by
//! the same code for every target: `operations`, `kinds` and `failures` differ in their dictionaries.

#![allow(clippy::missing_panics_doc, reason = "a panic is what a fuzzer looks for")]

mod script;
mod step;

pub use script::{Runner, Shape};
pub use step::{Interval, Pick, Step, all};

use std::sync::Once;

/// Makes the host work on the calling thread alone: faster for a few entries, and the same for the same bytes.
pub fn on_this_thread() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        pool.build_global().expect("nothing has used the pool before");
    });
}
