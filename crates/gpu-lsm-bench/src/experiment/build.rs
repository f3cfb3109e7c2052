//! `build`: all entries at once.

use super::Experiment;
use crate::error::Result;
use crate::record::Sample;
use crate::reference::Reference;
use crate::session::{Scale, Session};
use crate::workload::{KeyKind, Workload};

/// How often each build is repeated.
const REPETITIONS: usize = 3;

pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let workload = Workload::new(KeyKind::Uniform, scale.n);
    let reference = Reference::new(&workload.keys, &workload.values);
    session.progress.begin(Experiment::Build.name(), REPETITIONS * session.contenders.len());
    for contender in session.contenders {
        for repetition in 0..REPETITIONS {
            let sample = Sample {
                repetition,
                ..Experiment::Build.sample(contender.name, scale.n, scale.n, 1, "build")
            };
            if !session.wants(&sample) {
                session.progress.advance(1);
                continue;
            }
            let mut structure = contender.make(scale.n, 1)?;
            let timing = structure.build(&workload.keys, &workload.values)?;
            session.check_content(&*structure, &reference, &sample)?;
            session.record(sample, scale.n, &timing, structure.resident()?, || Ok(Ok(())))?;
        }
    }
    Ok(())
}
