//! The stores of `testdata`, in memory, with one object that a fuzzer made.
//!
//! Checksums would refuse nearly every input, so each target first makes them right. What then follows has no protection but
//! its own checks: any bytes must give a typed error or right answers, without a panic, and in bounded memory.

#![allow(clippy::missing_panics_doc, reason = "a panic is what a fuzzer looks for")]

mod folder;
mod life;

pub use folder::Folder;
pub use life::{assert_same, check_error, live};

use gpu_lsm_store::layout::Layout;
use gpu_lsm_store::{StoredKey, StoredValue, Types};
use std::sync::Once;

/// The newest manifest of `testdata/stores/1/u64-u32`, and the first free number of its log.
pub const NEWEST_MANIFEST: u64 = 4;
/// The first free number of the log of `testdata/stores/1/u64-u32`.
pub const NEXT_RECORD: u64 = 8;

/// The columns of a store's files.
pub fn layout<K: StoredKey, V: StoredValue>() -> Layout {
    Types::of::<K, V>().layout::<K, V>().expect("types have columns of their own")
}

/// Makes the host backend work on one thread: faster for a few entries.
pub fn on_one_thread() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
        pool.build_global().expect("nothing has used the pool before");
    });
}

/// Lets panics of Parquet and Arrow pass, which the store turns into errors. All others still end the process.
pub fn allow_panics_of_parquet() {
    let abort = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_foreign = panic.location().is_some_and(|location| {
            ["/parquet-", "/arrow-"].iter().any(|package| location.file().contains(package))
        });
        if !is_foreign {
            abort(panic);
        }
    }));
}
