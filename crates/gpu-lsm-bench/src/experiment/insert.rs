//! `insert`: Table II. Batches one after the other until there are n entries, for each batch size; and for each, what the
//! same batch costs in an empty structure, where there is nothing to merge with: its sort.

use super::Experiment;
use super::batches::series;
use crate::contender::Contender;
use crate::error::{Result, if_supported};
use crate::record::Sample;
use crate::reference::Reference;
use crate::session::{Scale, Session};
use crate::statistics::spread;
use crate::workload::{KeyKind, Workload};

/// The most batches whose sort is measured apart, evenly spread.
const SORTS: usize = 8;

pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let workload = Workload::new(KeyKind::Uniform, scale.n);
    let sizes = scale.batch_sizes(1 << 12);
    let steps: usize = sizes.iter().map(|b| scale.n / b + spread(scale.n / b, SORTS).len()).sum();
    session.progress.begin(Experiment::Insert.name(), steps * session.contenders.len());
    for &b in &sizes {
        for contender in session.contenders {
            series(session, contender, Experiment::Insert, &workload, b)?;
            sorts(session, contender, &workload, b)?;
        }
    }
    Ok(())
}

fn sorts(session: &mut Session<'_>, contender: &Contender, workload: &Workload, b: usize) -> Result<()> {
    let n = workload.keys.len();
    for batch in spread(n / b, SORTS) {
        let sample =
            Sample { repetition: batch, ..Experiment::Insert.sample(contender.name, n, b, 1, "sort") };
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
