//! The experiments: those of the paper's evaluation, and some beyond it.

mod batches;
mod build;
mod cleanup;
mod clustered;
mod insert;
mod lookup;
mod overwrite;
mod ranges;
mod scaling;
mod shards;
mod traffic;

use crate::error::Result;
use crate::measure::scale::Scale;
use crate::measure::session::Session;
use crate::record::experiment::Experiment;
use gpu_lsm::Device;

/// Measures the samples of an experiment that are still missing.
///
/// # Errors
/// [`Error::Mismatch`](crate::Error::Mismatch) if an answer is wrong; also if a structure, the device or a file fails.
pub fn run(experiment: Experiment, session: &mut Session<'_>, scale: Scale, device: &Device) -> Result<()> {
    match experiment {
        Experiment::Insert => insert::run(session, scale, device),
        Experiment::BatchTime => batches::run(session, scale),
        Experiment::Lookup => lookup::run(session, scale),
        Experiment::Ranges => ranges::run(session, scale),
        Experiment::Cleanup => cleanup::run(session, scale),
        Experiment::Build => build::run(session, scale),
        Experiment::Steady => overwrite::steady(session, scale),
        Experiment::Window | Experiment::Expiry => overwrite::window(session, scale, experiment),
        Experiment::Clustered => clustered::run(session, scale),
        Experiment::Scaling => scaling::run(session, scale, device),
        Experiment::Shards => shards::run(session, scale, device),
        Experiment::Traffic => traffic::run(session, scale, device),
    }
}
