//! `traffic`: what operations move, launch and wait for, counted; and the fastest copy of the same device in the same
//! run. Bytes that kernels move are counted on GPUs only.

use super::Experiment;
use super::batches::series;
use super::ranges::{LENGTHS, both};
use crate::contender::Contender;
use crate::copy;
use crate::error::{Result, if_supported};
use crate::record::Sample;
use crate::reference::Reference;
use crate::session::{Growing, Scale, Session};
use crate::structure::{Intervals, Resident, Timing};
use crate::workload::{KeyKind, Workload, existing, intervals_of_uniform};
use gpu_lsm::Device;

/// How many batches make n; queries are measured with one batch less, so that every level is full.
const BATCHES: usize = 64;

pub(super) fn run(session: &mut Session<'_>, scale: Scale, device: &Device) -> Result<()> {
    let b = (scale.n / BATCHES).max(2);
    let workload = Workload::new(KeyKind::Uniform, b * BATCHES);
    let steps = (BATCHES + 2 + 2 * LENGTHS.len()) * session.contenders.len() + copy::SIZES.len();
    session.progress.begin(Experiment::Traffic.name(), steps);
    copies(session, scale.n, device)?;
    for contender in session.contenders {
        series(session, contender, Experiment::Traffic, &workload, b)?;
        queries(session, contender, &workload, b, scale)?;
    }
    Ok(())
}

/// The rate of a copy, in bytes read and written, for several sizes.
fn copies(session: &mut Session<'_>, n: usize, device: &Device) -> Result<()> {
    for words in copy::SIZES {
        let sample = Experiment::Traffic.sample("copy", n, words, 1, "copy");
        if !session.wants(&sample) {
            session.progress.advance(1);
            continue;
        }
        let timing = Timing { seconds: copy::fastest(device, words)?, ..Timing::default() };
        session.record(sample, 8 * words, &timing, Resident::default(), || Ok(Ok(())))?;
    }
    Ok(())
}

fn queries(
    session: &mut Session<'_>,
    contender: &Contender,
    workload: &Workload,
    b: usize,
    scale: Scale,
) -> Result<()> {
    let sample = |l: Option<usize>, case: &str| Sample {
        l,
        ..Experiment::Traffic.sample(contender.name, scale.n, b, BATCHES - 1, case)
    };
    let mut cases = vec![sample(None, "lookup"), sample(None, "cleanup")];
    cases.extend(LENGTHS.iter().flat_map(|&l| [sample(Some(l), "count"), sample(Some(l), "range")]));
    if !cases.iter().any(|case| session.wants(case)) {
        session.progress.advance(cases.len());
        return Ok(());
    }
    let mut growing = Growing::new(contender, workload, b)?;
    let all = growing.to(BATCHES - 1)?;
    let reference = Reference::new(all.keys, all.values);
    let keys = existing(all.keys);
    let (timing, answers) = growing.structure.lookup(&keys)?;
    let resident = growing.structure.resident()?;
    session.record(sample(None, "lookup"), keys.len(), &timing, resident, || {
        Ok(reference.check_lookup(&keys, &answers))
    })?;
    for l in LENGTHS {
        let count = all.keys.len().min(scale.candidates / l);
        let (lower, upper) = intervals_of_uniform(all.keys.len(), l, count);
        let intervals = Intervals { lower: &lower, upper: &upper };
        both(session, &*growing.structure, intervals, &reference, &|case| sample(Some(l), case))?;
    }
    match if_supported(growing.structure.cleanup())? {
        None => session.progress.advance(1),
        Some(timing) => {
            session.check_content(&*growing.structure, &reference, &sample(None, "cleanup"))?;
            let entries = resident.entries as usize;
            session.record(sample(None, "cleanup"), entries, &timing, resident, || Ok(Ok(())))?;
        }
    }
    Ok(())
}
