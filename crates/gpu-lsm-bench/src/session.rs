//! A run of experiments: who is measured, where records go, and how answers are compared.

use crate::contender::Contender;
use crate::error::{Error, Result, if_supported};
use crate::record::{Place, Record, Sample, Store};
use crate::reference::Reference;
use crate::structure::{Growth, Intervals, Measured, Resident, Timing, Update};
use crate::workload::{KEY_END, Workload};

/// What is told while experiments run.
pub trait Progress {
    /// An experiment begins that has so many steps.
    fn begin(&mut self, experiment: &str, steps: usize);
    /// So many steps are done.
    fn advance(&mut self, steps: usize);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn begin(&mut self, _: &str, _: usize) {}
    fn advance(&mut self, _: usize) {}
}

/// How large experiments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// Entries that come in all.
    pub n: usize,
    /// The most numbers of resident batches that queries are measured at, evenly spread.
    pub samples: usize,
    /// The most batches of one series.
    pub batches: usize,
    /// The smallest batch.
    pub smallest: usize,
    /// The most entries that all intervals of one call have together.
    pub candidates: usize,
}

impl Scale {
    /// The paper's own sizes, but for `n`; and where that is below 2^20, fewer intervals, which else would be all the work.
    pub fn full(n: usize) -> Self {
        Self { n, samples: 8, batches: 1 << 12, smallest: 256, candidates: (16 * n).min(1 << 24) }
    }

    /// Small enough for all experiments in minutes.
    pub fn quick(n: usize) -> Self {
        Self { n, samples: 3, batches: 1 << 6, smallest: 16, candidates: 1 << 17 }
    }

    /// Batch sizes from `n` down by halves, at most `batches` batches of no fewer entries than the smallest has.
    pub fn batch_sizes(&self, batches: usize) -> Vec<usize> {
        let batches = batches.min(self.batches);
        let halved = std::iter::successors(Some(self.n), |b| Some(b / 2));
        halved.take_while(|&b| b >= self.smallest && self.n / b <= batches).collect()
    }
}

/// An experiment under way.
pub struct Session<'a> {
    /// Where it runs.
    pub place: &'a Place,
    /// Who is measured.
    pub contenders: &'a [Contender],
    /// Where the records go.
    pub store: &'a mut Store,
    /// Whether each answer is compared with the reference's.
    pub verify: bool,
    /// Who is told.
    pub progress: &'a mut dyn Progress,
}

impl Session<'_> {
    /// Whether a sample is still to be measured.
    pub fn wants(&self, sample: &Sample) -> bool {
        !self.store.has(sample, self.place, self.verify)
    }

    /// Compares an answer where that is wanted, and writes the sample down where it is not there yet.
    ///
    /// # Errors
    /// [`Error::Mismatch`], and where the file can't be written.
    pub fn record(
        &mut self,
        sample: Sample,
        operations: usize,
        timing: &Timing,
        resident: Resident,
        check: impl FnOnce() -> Result<std::result::Result<(), String>>,
    ) -> Result<()> {
        self.progress.advance(1);
        if !self.wants(&sample) {
            return Ok(());
        }
        if self.verify {
            check()?.map_err(|what| mismatch(&sample, what))?;
        }
        let record = Record::new(sample, self.place, operations as u64, timing, resident, self.verify);
        self.store.add(record)
    }

    /// Compares all that a structure holds with the reference, where that is wanted.
    ///
    /// # Errors
    /// [`Error::Mismatch`], and where the structure fails.
    pub fn check_content(
        &self,
        structure: &dyn Measured,
        reference: &Reference,
        sample: &Sample,
    ) -> Result<()> {
        if !self.verify {
            return Ok(());
        }
        let everything = Intervals { lower: &[0], upper: &[KEY_END - 1] };
        let verdict = match if_supported(structure.range(everything))? {
            Some((_, found)) => reference.check_range(everything, &found),
            None => {
                let keys: Vec<_> = reference.entries().iter().map(|entry| entry.0).collect();
                reference.check_lookup(&keys, &structure.lookup(&keys)?.1)
            }
        };
        verdict.map_err(|what| mismatch(sample, what))
    }
}

fn mismatch(sample: &Sample, what: String) -> Error {
    Error::Mismatch { structure: sample.structure.clone(), sample: sample.to_string(), what }
}

/// A structure that comes to hold more and more batches of a workload, with nobody measuring that.
pub struct Growing<'a> {
    /// The structure.
    pub structure: Box<dyn Measured>,
    workload: &'a Workload,
    b: usize,
    batches: usize,
}

impl<'a> Growing<'a> {
    /// An empty one.
    ///
    /// # Errors
    /// Where the device is lost.
    pub fn new(contender: &Contender, workload: &'a Workload, b: usize) -> Result<Self> {
        Ok(Self { structure: contender.make(b, workload.keys.len() / b)?, workload, b, batches: 0 })
    }

    /// Lets it hold the workload's first `r` batches.
    ///
    /// # Errors
    /// Where there is no room.
    pub fn to(&mut self, r: usize) -> Result<Update<'a>> {
        let all = self.workload.first(r * self.b);
        match self.structure.growth() {
            Growth::InBulk => {
                self.structure.build(all.keys, all.values)?;
            }
            Growth::ByBatches => {
                for batch in self.batches..r {
                    self.structure.update(self.workload.batch(batch, self.b))?;
                }
            }
        }
        self.batches = r;
        Ok(all)
    }
}
