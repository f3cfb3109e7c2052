//! Whole operations of the dictionary and of the baselines, as the bench measures them.

use crate::lab::Journal;
use gpu_lsm::Device;
use gpu_lsm_bench::Result;
use gpu_lsm_bench::error::if_supported;
use gpu_lsm_bench::measure::clock::Measured;
use gpu_lsm_bench::measure::contender::{Contender, contenders};
use gpu_lsm_bench::measure::structure::{Intervals, Update};
use gpu_lsm_bench::measure::workload::{Workload, existing, intervals_of_uniform, missing, repeating};
use gpu_lsm_bench::record::measurement::Timing;
use gpu_lsm_bench::record::sample::KeyKind;

/// The batches of a series of insertions.
const BATCHES: usize = 64;
/// The batches of a structure that is queried: so many that every level is full.
const FULL: usize = BATCHES - 1;
/// The entries per query of short and of long intervals.
const LENGTHS: [usize; 2] = [8, 1024];
/// The percentage of entries that are stale before a cleanup.
const STALE: [usize; 2] = [10, 50];

/// How much is inserted and asked.
#[derive(Clone, Copy)]
struct Scale {
    /// The entries of a structure.
    n: usize,
    /// The keys to look up.
    lookups: usize,
    /// The entries that all intervals of a query have.
    candidates: usize,
}

const LARGE: Scale = Scale { n: 1 << 17, lookups: 1 << 15, candidates: 1 << 17 };
const SMALL: Scale = Scale { n: 1 << 14, lookups: 1 << 12, candidates: 1 << 13 };

/// One structure, and where its operations are noted.
struct Subject<'a> {
    journal: &'a Journal,
    contender: &'a Contender,
    scale: Scale,
}

/// Every structure at full size, after the short form.
pub(crate) fn all(journal: &Journal) -> Result<()> {
    short(journal)?;
    for contender in &contenders(&Device::gpu()?) {
        Subject { journal, contender, scale: LARGE }.count()?;
    }
    Ok(())
}

/// The dictionary itself, at a small size.
pub(crate) fn short(journal: &Journal) -> Result<()> {
    let all = contenders(&Device::gpu()?);
    all.first().map_or(Ok(()), |contender| Subject { journal, contender, scale: SMALL }.count())
}

impl Subject<'_> {
    fn count(&self) -> Result<()> {
        self.build()?;
        self.series()?;
        self.cleanups()
    }

    fn b(&self) -> usize {
        self.scale.n / BATCHES
    }

    fn empty(&self) -> Result<Box<dyn Measured>> {
        self.contender.make(self.b(), BATCHES)
    }

    /// Says that the launches so far belong to an operation on so many entries or queries.
    fn note(&self, operation: &str, operations: usize, timing: &Timing) {
        let (launches, waits) = (timing.traffic.launches, timing.traffic.waits);
        let numbers =
            [self.scale.n as u64, operations as u64, launches, waits].map(|number| number.to_string());
        let [n, operations, launches, waits] = &numbers;
        self.journal.note(&["operation", self.contender.name, operation, n, operations, launches, waits]);
    }

    /// Says that the launches so far only prepared what follows.
    fn forget(&self) {
        self.journal.note(&["preparation"]);
    }

    fn build(&self) -> Result<()> {
        let workload = Workload::new(KeyKind::Uniform, self.scale.n);
        let mut structure = self.empty()?;
        self.forget();
        let timing = structure.build(&workload.keys, &workload.values)?;
        self.note("build", self.scale.n, &timing);
        Ok(())
    }

    /// Inserts batch by batch, and asks when every level is full. What takes no batches is built instead.
    fn series(&self) -> Result<()> {
        let workload = Workload::new(KeyKind::Uniform, self.scale.n);
        let mut structure = self.empty()?;
        self.forget();
        for batch in 0..BATCHES {
            if batch == FULL {
                self.queries(&*structure, &workload.keys[..FULL * self.b()])?;
            }
            let Some(timing) = if_supported(structure.update(workload.batch(batch, self.b())))? else {
                let all = workload.first(FULL * self.b());
                structure.build(all.keys, all.values)?;
                return self.queries(&*structure, all.keys);
            };
            self.note("insert", self.b(), &timing);
        }
        Ok(())
    }

    fn queries(&self, structure: &dyn Measured, resident: &[u32]) -> Result<()> {
        self.forget();
        for (name, keys) in [
            ("lookup, present", &existing(resident)[..self.scale.lookups]),
            ("lookup, missing", &missing(self.scale.n, self.scale.lookups)),
        ] {
            let (timing, _) = structure.lookup(keys)?;
            self.note(name, keys.len(), &timing);
        }
        for len in LENGTHS {
            let queries = self.scale.candidates / len;
            let (lower, upper) = intervals_of_uniform(resident.len(), len, queries);
            let intervals = Intervals { lower: &lower, upper: &upper };
            // The first count makes tallies, which stay until the next update.
            for name in ["first count", "count"] {
                if let Some((timing, _)) = if_supported(structure.count(intervals))? {
                    self.note(&format!("{name}, L = {len}"), queries, &timing);
                }
            }
            if let Some((timing, _)) = if_supported(structure.range(intervals))? {
                self.note(&format!("range, L = {len}"), queries, &timing);
            }
        }
        Ok(())
    }

    fn cleanups(&self) -> Result<()> {
        if if_supported(self.empty()?.cleanup())?.is_none() {
            return Ok(());
        }
        for stale in STALE {
            let keys = repeating(self.b(), FULL, stale);
            let mut structure = self.filled(&keys)?;
            self.forget();
            self.note(&format!("cleanup, {stale} % stale"), keys.len(), &structure.cleanup()?);
        }
        Ok(())
    }

    /// A structure into which these keys were inserted batch by batch.
    fn filled(&self, keys: &[u32]) -> Result<Box<dyn Measured>> {
        let values: Vec<u32> = (0..keys.len() as u32).collect();
        let mut structure = self.empty()?;
        for (keys, values) in keys.chunks(self.b()).zip(values.chunks(self.b())) {
            structure.update(Update { keys, values, deletes: &[] })?;
        }
        Ok(structure)
    }
}
