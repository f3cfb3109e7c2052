//! `steady`, `window` and `expiry`: batches that leave the number of live entries unchanged. They show how even the batch times
//! are, and how much memory is resident per live entry.

use crate::error::{Result, if_supported};
use crate::measure::clock::Measured;
use crate::measure::contender::Contender;
use crate::measure::reference::Reference;
use crate::measure::scale::Scale;
use crate::measure::session::{Session, check_content};
use crate::measure::structure::{Growth, Interval, Update};
use crate::measure::workload::{Workload, seeded};
use crate::record::experiment::Experiment;
use crate::record::sample::KeyKind;
use crate::record::sample::Sample;
use rand::RngExt;

/// The number of batches that make n, and also the number of batches measured after them.
const BATCHES: usize = 64;

/// Each batch overwrites existing keys, picked at random.
pub(super) fn steady(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let b = (scale.n / BATCHES).max(2);
    let workload = Workload::new(KeyKind::Uniform, b * BATCHES);
    let mut random = seeded(7);
    let overwrites = (0..BATCHES).map(|_| {
        // A contiguous part of the random order, so that no key occurs twice in a batch.
        let start = random.random_range(0..=workload.keys.len() - b);
        Batch { keys: workload.keys[start..start + b].to_vec(), deletes: Vec::new(), oldest: None }
    });
    let overwrites: Vec<_> = overwrites.collect();
    measure(session, Experiment::Steady, &workload, scale.n, b, &overwrites)
}

/// Each batch inserts new events and deletes equally many of the oldest: key by key, or those until some time.
pub(super) fn window(session: &mut Session<'_>, scale: Scale, experiment: Experiment) -> Result<()> {
    let (b, half) = ((scale.n / BATCHES).max(2), (scale.n / BATCHES / 2).max(1));
    let events = Workload::new(KeyKind::Timestamps, b * BATCHES + half * BATCHES);
    let (full, later) = events.keys.split_at(b * BATCHES);
    let resident =
        Workload { kind: events.kind, keys: full.to_vec(), values: (0..full.len() as u32).collect() };
    let slides = (0..BATCHES).map(|i| {
        let deletes = events.keys[i * half..(i + 1) * half].to_vec();
        let until = Interval { lower: 0, upper: deletes[half - 1] };
        let oldest = (experiment == Experiment::Expiry).then_some(until);
        Batch { keys: later[i * half..(i + 1) * half].to_vec(), deletes, oldest }
    });
    let slides: Vec<_> = slides.collect();
    measure(session, experiment, &resident, scale.n, b, &slides)
}

struct Batch {
    keys: Vec<u32>,
    deletes: Vec<u32>,
    /// The interval that has all keys to be deleted and no other, if it may be used.
    oldest: Option<Interval>,
}

fn measure(
    session: &mut Session<'_>,
    experiment: Experiment,
    filling: &Workload,
    n: usize,
    b: usize,
    batches: &[Batch],
) -> Result<()> {
    session.progress.begin(experiment.name(), batches.len() * session.contenders.len());
    for contender in session.contenders {
        let sample = |r| Sample { keys: filling.kind, ..experiment.sample(contender.name, n, b, r, "batch") };
        if !(1..=batches.len()).any(|r| session.wants(&sample(r))) {
            session.progress.advance(batches.len());
            continue;
        }
        let Some(structure) = filled(contender, filling, b)? else {
            session.progress.advance(batches.len());
            continue;
        };
        series(session, structure, filling, batches, &sample)?;
    }
    Ok(())
}

/// A structure with the initial entries; `None` if it takes no batches.
fn filled(contender: &Contender, filling: &Workload, b: usize) -> Result<Option<Box<dyn Measured>>> {
    let mut structure = contender.make(b, 2 * BATCHES)?;
    let nothing = Update { keys: &[], values: &[], deletes: &[] };
    if structure.growth() == Growth::InBulk {
        structure.build(&filling.keys, &filling.values)?;
        return Ok(if_supported(structure.update(nothing))?.map(|_| structure));
    }
    for batch in 0..filling.keys.len() / b {
        structure.update(filling.batch(batch, b))?;
    }
    Ok(Some(structure))
}

fn series(
    session: &mut Session<'_>,
    mut structure: Box<dyn Measured>,
    filling: &Workload,
    batches: &[Batch],
    sample: &dyn Fn(usize) -> Sample,
) -> Result<()> {
    let mut reference = Reference::new(&filling.keys, &filling.values);
    for (i, batch) in batches.iter().enumerate() {
        let values: Vec<_> = (0..batch.keys.len() as u32).map(|at| at ^ ((i as u32 + 1) << 20)).collect();
        let update = Update { keys: &batch.keys, values: &values, deletes: &batch.deletes };
        let timing = match batch.oldest {
            Some(oldest) => structure.slide(update, oldest)?,
            None => structure.update(update)?,
        };
        if session.verify {
            reference.update(update);
        }
        let resident = structure.resident()?;
        session.record(sample(i + 1), batch.keys.len() + batch.deletes.len(), &timing, resident, || {
            let keys = [&batch.keys[..], &batch.deletes].concat();
            let verdict = reference.check_lookup(&keys, &structure.lookup(&keys)?.1);
            if verdict.is_err() || i + 1 < batches.len() {
                return Ok(verdict);
            }
            // Before the last sample is recorded: if that is missing, the series is repeated.
            check_content(&*structure, &reference)
        })?;
    }
    Ok(())
}
