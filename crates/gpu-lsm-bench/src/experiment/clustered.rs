//! `clustered`: batches, lookups, counts and ranges with keys of every kind.

use super::Experiment;
use super::batches::series;
use super::ranges::both;
use crate::contender::Contender;
use crate::error::Result;
use crate::record::Sample;
use crate::reference::Reference;
use crate::session::{Growing, Scale, Session};
use crate::structure::Intervals;
use crate::workload::{KeyKind, Workload, existing, intervals_of_sorted};

/// How many batches make n; queries are measured with one batch less, so that every level is full.
const BATCHES: usize = 16;
/// Entries of an interval.
const LENGTH: usize = 8;

pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let steps = KeyKind::ALL.len() * (BATCHES + 3);
    session.progress.begin(Experiment::Clustered.name(), steps * session.contenders.len());
    for kind in KeyKind::ALL {
        let workload = Workload::new(kind, scale.n);
        for contender in session.contenders {
            series(session, contender, Experiment::Clustered, &workload, scale.n / BATCHES)?;
            queries(session, contender, &workload, scale)?;
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
    let count = all.keys.len().min(scale.candidates / LENGTH);
    let (lower, upper) = intervals_of_sorted(reference.entries(), LENGTH, count);
    let intervals = Intervals { lower: &lower, upper: &upper };
    both(session, &*growing.structure, intervals, &reference, &|case| sample(Some(LENGTH), case))
}
