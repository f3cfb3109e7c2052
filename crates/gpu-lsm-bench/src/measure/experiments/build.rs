//! `build`: all entries at once.

use crate::error::Result;
use crate::measure::reference::Reference;
use crate::measure::sampling::REPETITIONS;
use crate::measure::scale::Scale;
use crate::measure::session::{Session, check_content};
use crate::measure::workload::Workload;
use crate::record::experiment::Experiment;
use crate::record::sample::KeyKind;
use crate::record::sample::Sample;

pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let (n, workload) = (scale.n, Workload::new(KeyKind::Uniform, scale.n));
    let reference = Reference::new(&workload.keys, &workload.values);
    let sample = |structure, repetition| Sample {
        repetition,
        ..Experiment::Build.sample(structure, n, n, 1, "build")
    };
    session.progress.begin(Experiment::Build.name(), REPETITIONS * session.contenders.len());
    for contender in session.contenders {
        if session.wants_any(&sample(contender.name, 0), REPETITIONS) {
            contender.make(n, 1)?.build(&workload.keys, &workload.values)?;
        }
    }
    for repetition in 0..REPETITIONS {
        for contender in session.contenders(repetition) {
            let sample = sample(contender.name, repetition);
            if !session.wants(&sample) {
                session.progress.advance(1);
                continue;
            }
            let mut structure = contender.make(n, 1)?;
            let timing = structure.build(&workload.keys, &workload.values)?;
            let resident = structure.resident()?;
            session.record(sample, n, &timing, resident, || check_content(&*structure, &reference))?;
        }
    }
    Ok(())
}
