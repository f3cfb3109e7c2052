//! A series of timed batches: the data for Table II and for the figure on insertion.

use crate::error::{Result, if_supported};
use crate::measure::contender::Contender;
use crate::measure::reference::Reference;
use crate::measure::sampling::repetitions;
use crate::measure::scale::Scale;
use crate::measure::session::{Session, check_content};
use crate::measure::workload::Workload;
use crate::record::experiment::Experiment;
use crate::record::sample::KeyKind;
use crate::record::sample::Sample;

/// `batch-time`: the figure's batch size, n / 256, and two others.
pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let workload = Workload::new(KeyKind::Uniform, scale.n);
    let sizes: Vec<_> = [16, 64, 256].iter().map(|batches| scale.n / batches).collect();
    let sizes: Vec<_> = scale.batch_sizes(256).into_iter().filter(|b| sizes.contains(b)).collect();
    let all: usize = sizes.iter().map(|b| steps(scale.n / b)).sum();
    session.progress.begin(Experiment::BatchTime.name(), all * session.contenders.len());
    for (turn, &b) in sizes.iter().enumerate() {
        for contender in session.contenders(turn) {
            series(session, contender, Experiment::BatchTime, &workload, b)?;
        }
    }
    Ok(())
}

/// The number of samples in a series of this many batches.
pub(super) fn steps(batches: usize) -> usize {
    batches * repetitions(batches)
}

/// Inserts all batches of a workload one after the other, and records each, after one unrecorded warm-up batch.
pub(super) fn series(
    session: &mut Session<'_>,
    contender: &Contender,
    experiment: Experiment,
    workload: &Workload,
    b: usize,
) -> Result<()> {
    let (n, batches) = (workload.keys.len(), workload.keys.len() / b);
    let sample =
        |r: usize| Sample { keys: workload.kind, ..experiment.sample(contender.name, n, b, r, "insert") };
    let is_wanted = (1..=batches).any(|r| session.wants_any(&sample(r), repetitions(batches)));
    if !is_wanted || if_supported(contender.make(b, 1)?.update(workload.batch(0, b)))?.is_none() {
        session.progress.advance(steps(batches));
        return Ok(());
    }
    for repetition in 0..repetitions(batches) {
        once(session, contender, workload, b, &|r| Sample { repetition, ..sample(r) })?;
    }
    Ok(())
}

fn once(
    session: &mut Session<'_>,
    contender: &Contender,
    workload: &Workload,
    b: usize,
    sample: &dyn Fn(usize) -> Sample,
) -> Result<()> {
    let batches = workload.keys.len() / b;
    let mut structure = contender.make(b, batches)?;
    for r in 1..=batches {
        let batch = workload.batch(r - 1, b);
        let timing = structure.update(batch)?;
        let resident = structure.resident()?;
        session.record(sample(r), b, &timing, resident, || {
            let answers = structure.lookup(batch.keys)?.1;
            let verdict = Reference::new(batch.keys, batch.values).check_lookup(batch.keys, &answers);
            if verdict.is_err() || r < batches {
                return Ok(verdict);
            }
            // Before the last sample is recorded: if that is missing, the series is repeated.
            let all = workload.first(batches * b);
            check_content(&*structure, &Reference::new(all.keys, all.values))
        })?;
    }
    Ok(())
}
