//! `clustered`: batches, lookups, counts and ranges with all kinds of keys; and lookups in a single level, with b = n.

use super::batches::{series, steps};
use super::ranges::both;
use crate::error::Result;
use crate::measure::clock::Measured;
use crate::measure::contender::Contender;
use crate::measure::reference::Reference;
use crate::measure::sampling::REPETITIONS;
use crate::measure::scale::Scale;
use crate::measure::session::{Growing, Session};
use crate::measure::structure::Intervals;
use crate::measure::workload::{Workload, existing, intervals_of_sorted};
use crate::record::experiment::Experiment;
use crate::record::sample::KeyKind;
use crate::record::sample::Sample;

/// The number of batches that make n. Queries are measured with one batch less, so that every level is full.
const BATCHES: usize = 16;
/// The number of entries in an interval.
const LENGTH: usize = 8;

pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let steps = KeyKind::ALL.len() * (steps(BATCHES) + 4 * REPETITIONS);
    session.progress.begin(Experiment::Clustered.name(), steps * session.contenders.len());
    for (turn, kind) in KeyKind::ALL.into_iter().enumerate() {
        let workload = Workload::new(kind, scale.n);
        for contender in session.contenders(turn) {
            series(session, contender, Experiment::Clustered, &workload, scale.n / BATCHES)?;
            queries(session, contender, &workload, scale)?;
            one_level(session, contender, &workload)?;
        }
    }
    Ok(())
}

fn queries(
    session: &mut Session<'_>,
    contender: &Contender,
    workload: &Workload,
    scale: Scale,
) -> Result<()> {
    let b = scale.n / BATCHES;
    let sample = |l: Option<usize>, case: &str| Sample {
        keys: workload.kind,
        l,
        ..Experiment::Clustered.sample(contender.name, scale.n, b, BATCHES - 1, case)
    };
    let cases = [sample(None, "lookup"), sample(Some(LENGTH), "count"), sample(Some(LENGTH), "range")];
    if !cases.iter().any(|case| session.wants_any(case, REPETITIONS)) {
        session.progress.advance(cases.len() * REPETITIONS);
        return Ok(());
    }
    let mut growing = Growing::new(contender, workload, b)?;
    let all = growing.to(BATCHES - 1)?;
    let reference = Reference::new(all.keys, all.values);
    lookup(session, &*growing.structure, &reference, all.keys, &cases[0])?;
    let count = all.keys.len().min(scale.candidates / LENGTH);
    let (lower, upper) = intervals_of_sorted(reference.entries(), LENGTH, count);
    let intervals = Intervals { lower: &lower, upper: &upper };
    let sample = |case: &str| (sample(Some(LENGTH), case), REPETITIONS);
    both(session, &*growing.structure, intervals, &reference, &sample)
}

/// Lookups after all entries were inserted as one batch.
fn one_level(session: &mut Session<'_>, contender: &Contender, workload: &Workload) -> Result<()> {
    let n = workload.keys.len();
    let sample = Experiment::Clustered.sample(contender.name, n, n, 1, "lookup, b = n");
    let sample = Sample { keys: workload.kind, ..sample };
    if !session.wants_any(&sample, REPETITIONS) {
        session.progress.advance(REPETITIONS);
        return Ok(());
    }
    let mut growing = Growing::new(contender, workload, n)?;
    let all = growing.to(1)?;
    let reference = Reference::new(all.keys, all.values);
    lookup(session, &*growing.structure, &reference, all.keys, &sample)
}

fn lookup(
    session: &mut Session<'_>,
    structure: &dyn Measured,
    reference: &Reference,
    keys: &[u32],
    sample: &Sample,
) -> Result<()> {
    let queries = existing(keys);
    let ask = |structure: &dyn Measured| structure.lookup(&queries);
    session.query(structure, (sample, REPETITIONS), queries.len(), ask, |answers| {
        reference.check_lookup(&queries, answers)
    })
}
