//! `lookup`: Table III. For each batch size and numbers of resident batches, as many lookups as there are entries, of
//! keys none or all of which exist.

use super::Experiment;
use crate::contender::Contender;
use crate::error::Result;
use crate::reference::Reference;
use crate::session::{Growing, Scale, Session};
use crate::statistics::spread;
use crate::workload::{KeyKind, Workload, existing, missing};

pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let workload = Workload::new(KeyKind::Uniform, scale.n);
    let sizes = scale.batch_sizes(256);
    let steps: usize = sizes.iter().map(|b| 2 * spread(scale.n / b, scale.samples).len()).sum();
    session.progress.begin(Experiment::Lookup.name(), steps * session.contenders.len());
    for &b in &sizes {
        for contender in session.contenders {
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
    let mut growing = Growing::new(contender, workload, b)?;
    for r in spread(n / b, samples) {
        let sample = |case| Experiment::Lookup.sample(contender.name, n, b, r, case);
        if !["none", "all"].iter().any(|case| session.wants(&sample(case))) {
            session.progress.advance(2);
            continue;
        }
        let all = growing.to(r)?;
        let reference = Reference::new(all.keys, all.values);
        for (case, queries) in [("none", missing(n, r * b)), ("all", existing(all.keys))] {
            let (timing, answers) = growing.structure.lookup(&queries)?;
            let resident = growing.structure.resident()?;
            session.record(sample(case), queries.len(), &timing, resident, || {
                Ok(reference.check_lookup(&queries, &answers))
            })?;
        }
    }
    Ok(())
}
