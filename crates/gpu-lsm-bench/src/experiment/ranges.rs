//! `ranges`: Table IV. For each batch size and numbers of resident batches, counts and ranges of 8 and of 1024 entries,
//! as many as there are entries but no more than 2^24 entries in all (fewer for a small n: `Scale::full`).

use super::Experiment;
use crate::contender::Contender;
use crate::error::{Result, if_supported};
use crate::record::Sample;
use crate::reference::Reference;
use crate::session::{Growing, Scale, Session};
use crate::statistics::spread;
use crate::structure::{Intervals, Measured};
use crate::workload::{KeyKind, Workload, intervals_of_uniform};

/// Entries that an interval has on average.
pub(crate) const LENGTHS: [usize; 2] = [8, 1024];

pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let workload = Workload::new(KeyKind::Uniform, scale.n);
    let sizes: Vec<_> = scale.batch_sizes(256).into_iter().filter(|b| scale.n / b >= 16).collect();
    let steps: usize = sizes.iter().map(|b| 4 * spread(scale.n / b, scale.samples).len()).sum();
    session.progress.begin(Experiment::Ranges.name(), steps * session.contenders.len());
    for &b in &sizes {
        for contender in session.contenders {
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
    let mut growing = Growing::new(contender, workload, b)?;
    for r in spread(scale.n / b, scale.samples) {
        let sample = |l: usize, case: &str| Sample {
            l: Some(l),
            ..Experiment::Ranges.sample(contender.name, scale.n, b, r, case)
        };
        let wants = |l: &usize| session.wants(&sample(*l, "count")) || session.wants(&sample(*l, "range"));
        if !LENGTHS.iter().any(wants) {
            session.progress.advance(4);
            continue;
        }
        let all = growing.to(r)?;
        let reference = Reference::new(all.keys, all.values);
        for l in LENGTHS {
            let queries = all.keys.len().min(scale.candidates / l);
            let (lower, upper) = intervals_of_uniform(all.keys.len(), l, queries);
            let intervals = Intervals { lower: &lower, upper: &upper };
            let structure = &*growing.structure;
            both(session, structure, intervals, &reference, &|case| sample(l, case))?;
        }
    }
    Ok(())
}

/// A count and a range of the same intervals.
pub(super) fn both(
    session: &mut Session<'_>,
    structure: &dyn Measured,
    intervals: Intervals<'_>,
    reference: &Reference,
    sample: &dyn Fn(&str) -> Sample,
) -> Result<()> {
    let (queries, resident) = (intervals.lower.len(), structure.resident()?);
    match if_supported(structure.count(intervals))? {
        None => session.progress.advance(1),
        Some((timing, counts)) => session.record(sample("count"), queries, &timing, resident, || {
            Ok(reference.check_count(intervals, &counts))
        })?,
    }
    match if_supported(structure.range(intervals))? {
        None => session.progress.advance(1),
        Some((timing, found)) => session.record(sample("range"), queries, &timing, resident, || {
            Ok(reference.check_range(intervals, &found))
        })?,
    }
    Ok(())
}
