//! `cleanup`: structures of 63 batches, in which 10 % or 50 % of the inserted entries are stale. Measures their
//! cleanup, and lookups of every key before and after it.

use crate::error::{Result, if_supported};
use crate::measure::clock::Measured;
use crate::measure::contender::Contender;
use crate::measure::reference::Reference;
use crate::measure::sampling::REPETITIONS;
use crate::measure::scale::Scale;
use crate::measure::session::{Session, Verdict, check_content};
use crate::measure::structure::Update;
use crate::measure::workload::{existing, repeating};
use crate::record::experiment::Experiment;
use crate::record::measurement::Resident;
use crate::record::sample::Sample;

/// The number of batches. With 63, every level is full.
const BATCHES: usize = 63;
/// The percentage of entries that are stale.
pub(crate) const STALE: [usize; 2] = [10, 50];
/// The cleanup, and lookups before and after it.
const CASES: [&str; 3] = ["lookup before", "cleanup", "lookup after"];

pub(super) fn run(session: &mut Session<'_>, scale: Scale) -> Result<()> {
    let b = (scale.n / (BATCHES + 1)).max(2);
    let steps = STALE.len() * CASES.len() * REPETITIONS;
    session.progress.begin(Experiment::Cleanup.name(), steps * session.contenders.len());
    for (turn, stale) in STALE.into_iter().enumerate() {
        let entries = Entries::new(b, stale, scale.lookups);
        for contender in session.contenders(turn) {
            let sample = |case: &str| {
                let case = format!("{case}, {stale} % stale");
                Experiment::Cleanup.sample(contender.name, scale.n, b, BATCHES, &case)
            };
            measure(session, contender, &entries, &sample)?;
        }
    }
    Ok(())
}

/// The inserted entries, and those that remain live.
struct Entries {
    b: usize,
    keys: Vec<u32>,
    values: Vec<u32>,
    left: Reference,
    lookups: usize,
}

impl Entries {
    /// Makes batches. From the second one on, `stale` percent of each batch replace the oldest entries that were not
    /// replaced before.
    fn new(b: usize, stale: usize, lookups: usize) -> Self {
        let keys = repeating(b, BATCHES, stale);
        let values: Vec<_> = (0..keys.len() as u32).collect();
        Self { b, left: Reference::new(&keys, &values), keys, values, lookups }
    }

    /// A structure with all batches inserted; `None` if it takes no batches.
    fn inside(&self, contender: &Contender) -> Result<Option<Box<dyn Measured>>> {
        let mut structure = contender.make(self.b, BATCHES)?;
        for (keys, values) in self.keys.chunks(self.b).zip(self.values.chunks(self.b)) {
            if if_supported(structure.update(Update { keys, values, deletes: &[] }))?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(structure))
    }

    /// Lookups of every live key.
    fn queries(&self) -> Vec<u32> {
        let live: Vec<_> = self.left.entries().iter().map(|entry| entry.0).collect();
        existing(&live)
    }

    /// The same lookups again and again, until there are as many as asked.
    fn enough(&self, queries: &[u32]) -> Vec<u32> {
        queries.iter().copied().cycle().take(queries.len().max(self.lookups)).collect()
    }

    /// No stale entries may be left, except for the padding of a batch.
    fn check_cleaned(&self, structure: &dyn Measured, resident: Resident) -> Result<Verdict> {
        let most = self.left.entries().len() + self.b;
        if resident.entries > most as u64 {
            return Ok(Err(format!("{} entries are left, and {most} may be", resident.entries)));
        }
        check_content(structure, &self.left)
    }
}

/// For every structure, the operations of a cleanup are the entries that were inserted, even if it has dropped some
/// before.
fn measure(
    session: &mut Session<'_>,
    contender: &Contender,
    entries: &Entries,
    sample: &dyn Fn(&str) -> Sample,
) -> Result<()> {
    let is_wanted = CASES.iter().any(|case| session.wants_any(&sample(case), REPETITIONS));
    let Some(mut first) = (if is_wanted { entries.inside(contender)? } else { None }) else {
        session.progress.advance(CASES.len() * REPETITIONS);
        return Ok(());
    };
    let queries = entries.queries();
    let lookup = |session: &mut Session<'_>, structure: &dyn Measured, case, queries: &[u32]| {
        let ask = |structure: &dyn Measured| structure.lookup(queries);
        session.query(structure, (&sample(case), REPETITIONS), queries.len(), ask, |answers| {
            entries.left.check_lookup(queries, answers)
        })
    };
    lookup(session, &*first, "lookup before", &queries)?;
    // The first cleanup is an unrecorded warm-up.
    if if_supported(first.cleanup())?.is_none() {
        session.progress.advance(2 * REPETITIONS);
        return Ok(());
    }
    lookup(session, &*first, "lookup after", &entries.enough(&queries))?;
    for repetition in 0..REPETITIONS {
        let sample = Sample { repetition, ..sample("cleanup") };
        let Some(mut structure) = (if session.wants(&sample) { entries.inside(contender)? } else { None })
        else {
            session.progress.advance(1);
            continue;
        };
        let timing = structure.cleanup()?;
        let resident = structure.resident()?;
        session.record(sample, entries.keys.len(), &timing, resident, || {
            entries.check_cleaned(&*structure, resident)
        })?;
    }
    Ok(())
}
