//! `traffic`: counts the bytes that operations move, their launches and their waits. Also measures the fastest copy on
//! the same device in the same run. Bytes moved by kernels are counted on GPUs only.

use super::batches::{series, steps};
use super::ranges::{LENGTHS, both};
use crate::error::{Result, if_supported};
use crate::measure::clock::Measured;
use crate::measure::contender::Contender;
use crate::measure::copy;
use crate::measure::reference::Reference;
use crate::measure::sampling::REPETITIONS;
use crate::measure::scale::Scale;
use crate::measure::session::{Growing, Session, check_content};
use crate::measure::structure::Intervals;
use crate::measure::workload::{Workload, existing, intervals_of_uniform};
use crate::record::experiment::Experiment;
use crate::record::measurement::{Resident, Timing};
use crate::record::sample::KeyKind;
use crate::record::sample::Sample;
use gpu_lsm::Device;

/// The number of batches that make n. Queries are measured with one batch less, so that every level is full.
const BATCHES: usize = 64;

pub(super) fn run(session: &mut Session<'_>, scale: Scale, device: &Device) -> Result<()> {
    let b = (scale.n / BATCHES).max(2);
    let workload = Workload::new(KeyKind::Uniform, b * BATCHES);
    let each = steps(BATCHES) + (2 + 2 * LENGTHS.len()) * REPETITIONS;
    session.progress.begin(Experiment::Traffic.name(), each * session.contenders.len() + copy::SIZES.len());
    copies(session, scale.n, device)?;
    for contender in session.contenders {
        series(session, contender, Experiment::Traffic, &workload, b)?;
        queries(session, contender, &workload, b, scale)?;
        cleanup(session, contender, &workload, b, scale.n)?;
    }
    Ok(())
}

/// The rate of a copy, in bytes read plus bytes written, for several sizes.
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
    let mut cases = vec![sample(None, "lookup")];
    cases.extend(LENGTHS.iter().flat_map(|&l| [sample(Some(l), "count"), sample(Some(l), "range")]));
    if !cases.iter().any(|case| session.wants_any(case, REPETITIONS)) {
        session.progress.advance(cases.len() * REPETITIONS);
        return Ok(());
    }
    let mut growing = Growing::new(contender, workload, b)?;
    let all = growing.to(BATCHES - 1)?;
    let (structure, reference) = (&*growing.structure, Reference::new(all.keys, all.values));
    let keys = existing(all.keys);
    let ask = |structure: &dyn Measured| structure.lookup(&keys);
    session.query(structure, (&cases[0], REPETITIONS), keys.len(), ask, |answers| {
        reference.check_lookup(&keys, answers)
    })?;
    for l in LENGTHS {
        let count = all.keys.len().min(scale.candidates / l);
        let (lower, upper) = intervals_of_uniform(all.keys.len(), l, count);
        let intervals = Intervals { lower: &lower, upper: &upper };
        let sample = |case: &str| (sample(Some(l), case), REPETITIONS);
        both(session, structure, intervals, &reference, &sample)?;
    }
    Ok(())
}

fn cleanup(
    session: &mut Session<'_>,
    contender: &Contender,
    workload: &Workload,
    b: usize,
    n: usize,
) -> Result<()> {
    let sample = Experiment::Traffic.sample(contender.name, n, b, BATCHES - 1, "cleanup");
    for repetition in 0..REPETITIONS {
        let sample = Sample { repetition, ..sample.clone() };
        if !session.wants(&sample) {
            session.progress.advance(1);
            continue;
        }
        let mut growing = Growing::new(contender, workload, b)?;
        let all = growing.to(BATCHES - 1)?;
        let Some(timing) = if_supported(growing.structure.cleanup())? else {
            session.progress.advance(REPETITIONS - repetition);
            return Ok(());
        };
        let resident = growing.structure.resident()?;
        session.record(sample, all.keys.len(), &timing, resident, || {
            check_content(&*growing.structure, &Reference::new(all.keys, all.values))
        })?;
    }
    Ok(())
}
