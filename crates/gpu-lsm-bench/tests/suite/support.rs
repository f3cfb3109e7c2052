//! Helpers for several tests.

use gpu_lsm::Device;
use gpu_lsm_bench::Result;
use gpu_lsm_bench::command::bench::Bench;
use gpu_lsm_bench::measure::progress::Quiet;
use gpu_lsm_bench::measure::scale::Scale;
use gpu_lsm_bench::record::experiment::Experiment;
use gpu_lsm_bench::record::sample::Record;
use gpu_lsm_bench::record::temporary::TemporaryFolder;
use std::path::Path;

/// A size at which every experiment is quick.
pub(crate) fn tiny() -> Scale {
    Scale { samples: 2, batches: 16, candidates: 1 << 11, ..Scale::quick(1 << 8) }
}

/// Runs an experiment at a tiny size on the host, and verifies answers.
pub(crate) fn run(experiment: Experiment, results: &Path) -> Result<Vec<Record>> {
    bench(results)?.run(experiment, tiny(), true, &mut Quiet)
}

/// A bench of the host that resumes its run.
pub(crate) fn bench(results: &Path) -> Result<Bench> {
    Bench::new(&Device::host(), results, "a test", false)
}

/// A folder that is deleted at the end of the test.
pub(crate) fn folder() -> TemporaryFolder {
    TemporaryFolder::new("test").expect("a folder can be made")
}
