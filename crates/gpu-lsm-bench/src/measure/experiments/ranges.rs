//! `ranges`: Table IV. For each batch size and several numbers of resident batches, counts and ranges of 8 and of 1024
//! entries. There are as many queries as entries, but the results have at most 2^24 entries in total (fewer for a small
//! n: see `Scale::full`).

use crate::error::Result;
use crate::measure::clock::Measured;
use crate::measure::contender::Contender;
use crate::measure::reference::Reference;
use crate::measure::sampling::{repetitions, with_extremes};
use crate::measure::scale::Scale;
use crate::measure::session::{Growing, Session};
use crate::measure::structure::Intervals;
use crate::measure::workload::{Workload, intervals_of_uniform};
use crate::record::experiment::Experiment;
use crate::record::sample::KeyKind;
use crate::record::sample::Sample;

/// The average number of entries in an interval.
pub(crate) const LENGTHS: [usize; 2] = [8, 1024];

/// The queries that are measured for each length.
const CASES: [&str; 2] = ["count", "range"];

pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let workload = Workload::new(KeyKind::Uniform, scale.n);
    let sizes: Vec<_> = scale.batch_sizes(256).into_iter().filter(|b| scale.n / b >= 16).collect();
    let steps = |b: &usize| LENGTHS.len() * CASES.len() * with_extremes(scale.n / b, scale.samples).len();
    let all: usize = sizes.iter().map(steps).sum();
    session.progress.begin(Experiment::Ranges.name(), all * session.contenders.len());
    for (turn, &b) in sizes.iter().enumerate() {
        for contender in session.contenders(turn) {
            series(session, contender, &workload, b, scale)?;
        }
    }
    Ok(())
}

fn series(
    session: &mut Session<'_>,
    contender: &Contender,
    workload: &Workload,
    b: usize,
    scale: Scale,
) -> Result<()> {
    let repetitions = repetitions(scale.n / b);
    let mut growing = Growing::new(contender, workload, b)?;
    for resident in with_extremes(scale.n / b, scale.samples) {
        let sample = |l: usize, case: &str| Sample {
            l: Some(l),
            extreme: resident.extreme,
            ..Experiment::Ranges.sample(contender.name, scale.n, b, resident.batches, case)
        };
        let wants = |l: usize| CASES.iter().any(|case| session.wants_any(&sample(l, case), repetitions));
        if !LENGTHS.into_iter().any(wants) {
            session.progress.advance(LENGTHS.len() * CASES.len() * repetitions);
            continue;
        }
        let all = growing.to(resident.batches)?;
        let reference = Reference::new(all.keys, all.values);
        for l in LENGTHS {
            let queries = all.keys.len().min(scale.candidates / l);
            let (lower, upper) = intervals_of_uniform(all.keys.len(), l, queries);
            let intervals = Intervals { lower: &lower, upper: &upper };
            let sample = |case: &str| (sample(l, case), repetitions);
            both(session, &*growing.structure, intervals, &reference, &sample)?;
        }
    }
    Ok(())
}

/// A count and a range of the same intervals, each repeated as often as its sample says.
pub(super) fn both(
    session: &mut Session<'_>,
    structure: &dyn Measured,
    intervals: Intervals<'_>,
    reference: &Reference,
    sample: &dyn Fn(&str) -> (Sample, usize),
) -> Result<()> {
    let queries = intervals.lower.len();
    let (count, repetitions) = sample("count");
    let ask = |structure: &dyn Measured| structure.count(intervals);
    session.query(structure, (&count, repetitions), queries, ask, |counts| {
        reference.check_count(intervals, counts)
    })?;
    let (range, repetitions) = sample("range");
    let ask = |structure: &dyn Measured| structure.range(intervals);
    session.query(structure, (&range, repetitions), queries, ask, |found| {
        reference.check_range(intervals, found)
    })
}
