//! What several tests need.

use gpu_lsm::Device;
use gpu_lsm_bench::Result;
use gpu_lsm_bench::bench::Bench;
use gpu_lsm_bench::experiment::Experiment;
use gpu_lsm_bench::record::Record;
use gpu_lsm_bench::session::{Quiet, Scale};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A size at which every experiment takes a moment.
pub(crate) fn tiny() -> Scale {
    Scale { samples: 2, batches: 16, candidates: 1 << 11, ..Scale::quick(1 << 8) }
}

/// Runs an experiment at a tiny size on the host, answers verified.
pub(crate) fn run(experiment: Experiment, results: &Path) -> Result<Vec<Record>> {
    bench(results)?.run(experiment, tiny(), true, &mut Quiet)
}

/// A bench of the host, which goes on where it was.
pub(crate) fn bench(results: &Path) -> Result<Bench> {
    Bench::new(&Device::host(), results, "a test", false)
}

/// A folder that goes when the test ends. Our own, as the crate for it changes features of the engine's stack.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("gpu-lsm-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the folder can be removed");
    }
}
