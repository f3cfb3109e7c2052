//! `insert`: Table II. For each batch size, inserts batches until there are n entries. Also measures the same batch in
//! an empty structure, where there is nothing to merge with, so that only its sort remains; and a bare sort.

use super::batches::{series, steps};
use crate::error::{Result, if_supported};
use crate::measure::contender::Contender;
use crate::measure::reference::Reference;
use crate::measure::sampling::{REPETITIONS, strata};
use crate::measure::scale::Scale;
use crate::measure::session::Session;
use crate::measure::sort;
use crate::measure::workload::Workload;
use crate::record::experiment::Experiment;
use crate::record::measurement::Resident;
use crate::record::sample::KeyKind;
use crate::record::sample::Sample;
use gpu_lsm::Device;

/// The most batches whose sort is measured separately.
const SORTS: usize = 8;

pub(super) fn run(session: &mut Session<'_>, scale: Scale, device: &Device) -> Result<()> {
    let workload = Workload::new(KeyKind::Uniform, scale.n);
    let sizes = scale.batch_sizes(1 << 12);
    let sorts_of = |b: &usize| sorted_batches(scale.n / b).len();
    let all: usize = sizes.iter().map(|b| steps(scale.n / b) + sorts_of(b)).sum();
    let bare: usize = sizes.iter().map(sorts_of).sum();
    session.progress.begin(Experiment::Insert.name(), all * session.contenders.len() + bare);
    for (turn, &b) in sizes.iter().enumerate() {
        bare_sorts(session, device, &workload, b)?;
        for contender in session.contenders(turn) {
            series(session, contender, Experiment::Insert, &workload, b)?;
            sorts(session, contender, &workload, b)?;
        }
    }
    Ok(())
}

/// The batches whose sort is measured separately. If there is only one batch, it is repeated.
fn sorted_batches(batches: usize) -> Vec<usize> {
    let chosen = strata(batches, SORTS);
    let sorts = chosen.len().max(REPETITIONS);
    chosen.into_iter().cycle().take(sorts).collect()
}

fn sample(structure: &str, n: usize, b: usize, repetition: usize) -> Sample {
    Sample { repetition, ..Experiment::Insert.sample(structure, n, b, 1, "sort") }
}

fn sorts(session: &mut Session<'_>, contender: &Contender, workload: &Workload, b: usize) -> Result<()> {
    let n = workload.keys.len();
    for (repetition, batch) in sorted_batches(n / b).into_iter().enumerate() {
        let sample = sample(contender.name, n, b, repetition);
        if !session.wants(&sample) {
            session.progress.advance(1);
            continue;
        }
        let mut structure = contender.make(b, 1)?;
        let update = workload.batch(batch - 1, b);
        let Some(timing) = if_supported(structure.update(update))? else {
            session.progress.advance(1);
            continue;
        };
        let resident = structure.resident()?;
        session.record(sample, b, &timing, resident, || {
            let answers = structure.lookup(update.keys)?.1;
            Ok(Reference::new(update.keys, update.values).check_lookup(update.keys, &answers))
        })?;
    }
    Ok(())
}

fn bare_sorts(session: &mut Session<'_>, device: &Device, workload: &Workload, b: usize) -> Result<()> {
    let (n, batches) = (workload.keys.len(), sorted_batches(workload.keys.len() / b));
    if !session.wants_any(&sample("bare_sort", n, b, 0), batches.len()) {
        session.progress.advance(batches.len());
        return Ok(());
    }
    sort::bare(device, workload.batch(0, b))?; // unrecorded warm-up
    for (repetition, batch) in batches.into_iter().enumerate() {
        let update = workload.batch(batch - 1, b);
        let (timing, sorted) = sort::bare(device, update)?;
        let sample = sample("bare_sort", n, b, repetition);
        session.record(sample, b, &timing, Resident::default(), || {
            let mut keys = update.keys.to_vec();
            keys.sort_unstable();
            Ok(if keys == sorted { Ok(()) } else { Err("the keys are not in order".into()) })
        })?;
    }
    Ok(())
}
