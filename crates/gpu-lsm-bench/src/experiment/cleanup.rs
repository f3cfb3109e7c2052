//! `cleanup`: structures of 63 batches, in which 10 % or 50 % of what came in is stale; how fast they are cleaned up,
//! and lookups of every key before and after.

use super::Experiment;
use crate::contender::Contender;
use crate::error::{Result, if_supported};
use crate::reference::Reference;
use crate::session::{Scale, Session};
use crate::structure::{Measured, Update};
use crate::workload::{KeyKind, Workload, existing};

/// Of how many batches the structures are: every level is full.
const BATCHES: usize = 63;
/// Entries that are stale, in parts of a hundred.
pub(crate) const STALE: [usize; 2] = [10, 50];

pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let b = (scale.n / (BATCHES + 1)).max(2);
    session.progress.begin(Experiment::Cleanup.name(), STALE.len() * 3 * session.contenders.len());
    for stale in STALE {
        let batches = overwriting(b, stale);
        for contender in session.contenders {
            measure(session, contender, scale.n, b, stale, &batches)?;
        }
    }
    Ok(())
}

/// A batch's keys and values.
type Batch = (Vec<u32>, Vec<u32>);

/// Batches in each of which, from the second on, `stale` of a hundred entries replace the oldest that were not yet.
fn overwriting(b: usize, stale: usize) -> Vec<Batch> {
    let keys = Workload::new(KeyKind::Uniform, b * BATCHES).keys;
    let (mut new, mut old) = (keys.iter().copied(), keys.iter().copied());
    let mut value = 0..;
    let mut batch = |is_first: bool| {
        let replaced = if is_first { 0 } else { b * stale / 100 };
        let keys: Vec<_> = new.by_ref().take(b - replaced).chain(old.by_ref().take(replaced)).collect();
        let values = value.by_ref().take(b).collect();
        (keys, values)
    };
    (0..BATCHES).map(|i| batch(i == 0)).collect()
}

fn measure(
    session: &mut Session<'_>,
    contender: &Contender,
    n: usize,
    b: usize,
    stale: usize,
    batches: &[Batch],
) -> Result<()> {
    let sample = |case: &str| {
        Experiment::Cleanup.sample(contender.name, n, b, BATCHES, &format!("{case}, {stale} % stale"))
    };
    if !["lookup before", "cleanup", "lookup after"].iter().any(|case| session.wants(&sample(case))) {
        session.progress.advance(3);
        return Ok(());
    }
    let mut structure = contender.make(b, BATCHES)?;
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    for batch in batches {
        let update = Update { keys: &batch.0, values: &batch.1, deletes: &[] };
        if if_supported(structure.update(update))?.is_none() {
            session.progress.advance(3);
            return Ok(());
        }
        keys.extend_from_slice(&batch.0);
        values.extend_from_slice(&batch.1);
    }
    let reference = Reference::new(&keys, &values);
    let live: Vec<_> = reference.entries().iter().map(|entry| entry.0).collect();
    let queries = existing(&live);
    let lookup = |session: &mut Session<'_>, structure: &dyn Measured, case| {
        let (timing, answers) = structure.lookup(&queries)?;
        session.record(sample(case), queries.len(), &timing, structure.resident()?, || {
            Ok(reference.check_lookup(&queries, &answers))
        })
    };
    lookup(session, &*structure, "lookup before")?;
    let before = structure.resident()?;
    let Some(timing) = if_supported(structure.cleanup())? else {
        session.progress.advance(2);
        return Ok(());
    };
    session.check_content(&*structure, &reference, &sample("cleanup"))?;
    session.record(sample("cleanup"), before.entries as usize, &timing, before, || Ok(Ok(())))?;
    lookup(session, &*structure, "lookup after")
}
