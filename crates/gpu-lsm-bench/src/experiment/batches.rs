//! A series of batches, each timed: what Table II and the figure on insertion are made of.

use super::Experiment;
use crate::contender::Contender;
use crate::error::{Result, if_supported};
use crate::record::Sample;
use crate::reference::Reference;
use crate::session::{Scale, Session};
use crate::workload::{KeyKind, Workload};

/// `batch-time`: the figure's batch size, of which 256 make n, and others beside it.
pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let workload = Workload::new(KeyKind::Uniform, scale.n);
    let sizes: Vec<_> = [16, 64, 256].iter().map(|batches| scale.n / batches).collect();
    let sizes: Vec<_> = scale.batch_sizes(256).into_iter().filter(|b| sizes.contains(b)).collect();
    let steps: usize = sizes.iter().map(|b| scale.n / b).sum();
    session.progress.begin(Experiment::BatchTime.name(), steps * session.contenders.len());
    for &b in &sizes {
        for contender in session.contenders {
            series(session, contender, Experiment::BatchTime, &workload, b)?;
        }
    }
    Ok(())
}

/// Inserts all batches of a workload one after the other, and records each.
pub(super) fn series(
    session: &mut Session<'_>,
    contender: &Contender,
    experiment: Experiment,
    workload: &Workload,
    b: usize,
) -> Result<()> {
    let n = workload.keys.len();
    let sample =
        |r: usize| Sample { keys: workload.kind, ..experiment.sample(contender.name, n, b, r, "insert") };
    let batches = n / b;
    if !(1..=batches).any(|r| session.wants(&sample(r))) {
        session.progress.advance(batches);
        return Ok(());
    }
    let mut structure = contender.make(b, batches)?;
    for r in 1..=batches {
        let batch = workload.batch(r - 1, b);
        let Some(timing) = if_supported(structure.update(batch))? else {
            session.progress.advance(batches);
            return Ok(());
        };
        let resident = structure.resident()?;
        session.record(sample(r), b, &timing, resident, || {
            let answers = structure.lookup(batch.keys)?.1;
            Ok(Reference::new(batch.keys, batch.values).check_lookup(batch.keys, &answers))
        })?;
    }
    let reference = Reference::new(&workload.keys[..batches * b], &workload.values[..batches * b]);
    session.check_content(&*structure, &reference, &sample(batches))
}
