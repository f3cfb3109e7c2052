//! `lookup`: Table III. For each batch size and several numbers of resident batches, as many lookups as there are
//! entries, with either no or all keys present.

use crate::error::Result;
use crate::measure::clock::Measured;
use crate::measure::contender::Contender;
use crate::measure::reference::Reference;
use crate::measure::sampling::{repetitions, with_extremes};
use crate::measure::scale::Scale;
use crate::measure::session::{Growing, Session};
use crate::measure::workload::{Workload, existing, missing};
use crate::record::experiment::Experiment;
use crate::record::sample::KeyKind;
use crate::record::sample::Sample;

/// No keys are present, or all are.
const CASES: [&str; 2] = ["none", "all"];

pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let workload = Workload::new(KeyKind::Uniform, scale.n);
    let sizes = scale.batch_sizes(256);
    let steps =
        |b: &usize| repetitions(scale.n / b) * CASES.len() * with_extremes(scale.n / b, scale.samples).len();
    let all: usize = sizes.iter().map(steps).sum();
    session.progress.begin(Experiment::Lookup.name(), all * session.contenders.len());
    for (turn, &b) in sizes.iter().enumerate() {
        for contender in session.contenders(turn) {
            series(session, contender, &workload, b, scale.samples)?;
        }
    }
    Ok(())
}

fn series(
    session: &mut Session<'_>,
    contender: &Contender,
    workload: &Workload,
    b: usize,
    samples: usize,
) -> Result<()> {
    let n = workload.keys.len();
    let repetitions = repetitions(n / b);
    let mut growing = Growing::new(contender, workload, b)?;
    for resident in with_extremes(n / b, samples) {
        let (r, extreme) = (resident.batches, resident.extreme);
        let sample = |case| Sample { extreme, ..Experiment::Lookup.sample(contender.name, n, b, r, case) };
        if !CASES.iter().any(|case| session.wants_any(&sample(case), repetitions)) {
            session.progress.advance(CASES.len() * repetitions);
            continue;
        }
        let all = growing.to(r)?;
        let reference = Reference::new(all.keys, all.values);
        for (case, queries) in CASES.into_iter().zip([missing(n, r * b), existing(all.keys)]) {
            let ask = |structure: &dyn Measured| structure.lookup(&queries);
            let sample = (&sample(case), repetitions);
            session.query(&*growing.structure, sample, queries.len(), ask, |answers| {
                reference.check_lookup(&queries, answers)
            })?;
        }
    }
    Ok(())
}
