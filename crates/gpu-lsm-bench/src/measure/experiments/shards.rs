//! `shards`: batches of ascending keys, which all go to the last shard: it is split again and again. Beside it the plain
//! dictionary, which never splits.

use super::batches::{series, steps};
use crate::error::Result;
use crate::measure::adapters::ours::GpuLsm;
use crate::measure::contender::{Contender, sharded};
use crate::measure::scale::Scale;
use crate::measure::session::Session;
use crate::measure::structure::Structure;
use crate::measure::workload::Workload;
use crate::record::experiment::Experiment;
use crate::record::sample::KeyKind;
use gpu_lsm::Device;

/// The number of batches that make n.
const BATCHES: usize = 256;

pub(super) fn run(session: &mut Session<'_>, scale: Scale, device: &Device) -> Result<()> {
    let workload = Workload::new(KeyKind::Timestamps, scale.n);
    let b = (scale.n / BATCHES.min(scale.batches)).max(1);
    let sharded = sharded(device);
    let is_plain = |contender: &&Contender| contender.name == GpuLsm::NAME;
    let plain: Vec<&Contender> = session.contenders(0).filter(is_plain).collect();
    session.progress.begin(Experiment::Shards.name(), steps(scale.n / b) * (plain.len() + 1));
    for contender in plain.into_iter().chain([&sharded]) {
        series(session, contender, Experiment::Shards, &workload, b)?;
    }
    Ok(())
}
