//! `scaling`: how costs grow with n. n doubles from 2^16 on; for each n, batches of one size are inserted. Then all
//! keys except those of the last batch are looked up, so that every level is full. Past one buffer of the device only the
//! sharded dictionary goes on.

use super::batches::{series, steps};
use crate::error::Result;
use crate::measure::clock::Measured;
use crate::measure::contender::{Contender, sharded};
use crate::measure::reference::Reference;
use crate::measure::sampling::REPETITIONS;
use crate::measure::scale::Scale;
use crate::measure::session::{Growing, Session};
use crate::measure::workload::{Workload, existing};
use crate::record::experiment::Experiment;
use crate::record::sample::KeyKind;
use gpu_lsm::Device;

/// The smallest n, and its number of batches.
const SMALLEST: usize = 1 << 16;
const BATCHES: usize = 16;

pub(super) fn run(session: &mut Session<'_>, scale: Scale, device: &Device) -> Result<()> {
    let sizes = sizes(scale.n);
    let b = (sizes[0] / BATCHES).max(1);
    let all: usize = sizes.iter().map(|n| steps(n / b) + REPETITIONS).sum();
    let sharded = sharded(device);
    session.progress.begin(Experiment::Scaling.name(), all * (session.contenders.len() + 1));
    for (turn, &n) in sizes.iter().enumerate() {
        let workload = Workload::new(KeyKind::Uniform, n);
        let fits = n as u64 <= device.limits().entries_u32;
        let others: Vec<&Contender> = session.contenders(turn).filter(|_| fits).collect();
        for contender in others.into_iter().chain([&sharded]) {
            series(session, contender, Experiment::Scaling, &workload, b)?;
            lookup(session, contender, &workload, b)?;
        }
    }
    Ok(())
}

/// The sizes from 2^16 up to n; if n is small, its last four doublings.
fn sizes(n: usize) -> Vec<usize> {
    let smallest = if n >= SMALLEST << 2 { SMALLEST } else { (n >> 3).max(BATCHES) };
    std::iter::successors(Some(smallest), |size| Some(2 * size)).take_while(|&size| size <= n).collect()
}

fn lookup(session: &mut Session<'_>, contender: &Contender, workload: &Workload, b: usize) -> Result<()> {
    let n = workload.keys.len();
    let sample = Experiment::Scaling.sample(contender.name, n, b, n / b - 1, "lookup");
    if !session.wants_any(&sample, REPETITIONS) {
        session.progress.advance(REPETITIONS);
        return Ok(());
    }
    let mut growing = Growing::new(contender, workload, b)?;
    let all = growing.to(n / b - 1)?;
    let queries = existing(all.keys);
    let reference = Reference::new(all.keys, all.values);
    let ask = |structure: &dyn Measured| structure.lookup(&queries);
    session.query(&*growing.structure, (&sample, REPETITIONS), queries.len(), ask, |answers| {
        reference.check_lookup(&queries, answers)
    })
}
