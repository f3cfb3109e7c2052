//! A session of an experiment: the structures, the destination of records, and the comparison of answers.

use crate::error::{Error, Result, if_supported};
use crate::measure::clock::Measured;
use crate::measure::contender::Contender;
use crate::measure::progress::Progress;
use crate::measure::reference::Reference;
use crate::measure::sampling::MOST_REPETITIONS;
use crate::measure::structure::{Growth, Intervals, Update};
use crate::measure::workload::{KEY_END, Workload};
use crate::record::measurement::{Resident, Timing};
use crate::record::run::CurrentRun;
use crate::record::sample::{Place, Record, Sample};
use crate::record::store::Store;
use std::time::Duration;

/// An experiment in progress.
pub struct Session<'a> {
    /// The run that it is part of.
    pub run: &'a CurrentRun,
    /// The device.
    pub place: &'a Place,
    /// The structures to measure.
    pub contenders: &'a [Contender],
    /// The destination of the records.
    pub store: &'a mut Store,
    /// Whether each answer is compared with the reference.
    pub verify: bool,
    /// How long a query is repeated: see [`Scale`](crate::measure::scale::Scale).
    pub repeat_for: Duration,
    /// The receiver of the progress.
    pub progress: &'a mut dyn Progress,
}

/// `Ok`, or what is wrong with an answer.
pub type Verdict = std::result::Result<(), String>;

impl<'a> Session<'a> {
    /// The structures to measure. Their order changes from one `turn` to the next, so that none is always first.
    pub fn contenders(&self, turn: usize) -> impl Iterator<Item = &'a Contender> + use<'a> {
        let all = self.contenders;
        (0..all.len()).map(move |at| &all[(at + turn) % all.len()])
    }

    /// Whether a sample still has to be measured.
    pub fn wants(&self, sample: &Sample) -> bool {
        !self.store.has(sample, self.verify)
    }

    /// Whether any repetition of a sample still has to be measured.
    pub fn wants_any(&self, sample: &Sample, repetitions: usize) -> bool {
        repeated(sample, repetitions).any(|sample| self.wants(&sample))
    }

    /// Compares an answer if that is requested, and writes the sample unless it is already there.
    ///
    /// # Errors
    /// [`Error::Mismatch`]; also if the file cannot be written.
    pub fn record(
        &mut self,
        sample: Sample,
        operations: usize,
        timing: &Timing,
        resident: Resident,
        check: impl FnOnce() -> Result<Verdict>,
    ) -> Result<()> {
        self.progress.advance(1);
        self.keep(sample, operations, timing, resident, check)
    }

    /// The same without progress.
    fn keep(
        &mut self,
        sample: Sample,
        operations: usize,
        timing: &Timing,
        resident: Resident,
        check: impl FnOnce() -> Result<Verdict>,
    ) -> Result<()> {
        if !self.wants(&sample) {
            return Ok(());
        }
        if self.verify {
            check()?.map_err(|what| mismatch(&sample, what))?;
        }
        if self.store.records().is_empty() {
            self.run.write_down()?;
        }
        let (run, operations) = (self.run.name(), operations as u64);
        let record = Record::new(sample, run, self.place, operations, timing, resident, self.verify);
        self.store.add(record)
    }

    /// Measures a query several times, after one unrecorded warm-up, because the first query of a size may be slower.
    /// Repeats it further, to an odd number, while all samples together took less than `repeat_for`.
    /// Skips the query if the structure lacks it.
    ///
    /// # Errors
    /// As for [`record`](Self::record); also if the structure fails.
    pub fn query<T>(
        &mut self,
        structure: &dyn Measured,
        (sample, repetitions): (&Sample, usize),
        operations: usize,
        ask: impl Fn(&dyn Measured) -> Result<(Timing, T)>,
        check: impl Fn(&T) -> Verdict,
    ) -> Result<()> {
        if !self.wants_any(sample, repetitions) || if_supported(ask(structure))?.is_none() {
            self.progress.advance(repetitions);
            return Ok(());
        }
        let mut spent = 0.0;
        for sample in repeated(sample, repetitions.max(MOST_REPETITIONS)) {
            let is_extra = sample.repetition >= repetitions;
            if is_extra && sample.repetition % 2 == 1 && spent >= self.repeat_for.as_secs_f64() {
                break;
            }
            let (timing, answer) = ask(structure)?;
            spent += timing.seconds;
            self.progress.advance(usize::from(!is_extra));
            self.keep(sample, operations, &timing, structure.resident()?, || Ok(check(&answer)))?;
        }
        Ok(())
    }
}

fn repeated(sample: &Sample, repetitions: usize) -> impl Iterator<Item = Sample> {
    (0..repetitions).map(|repetition| Sample { repetition, ..sample.clone() })
}

/// Compares the whole content of a structure with the reference.
///
/// # Errors
/// If the structure fails.
pub fn check_content(structure: &dyn Measured, reference: &Reference) -> Result<Verdict> {
    let everything = Intervals { lower: &[0], upper: &[KEY_END - 1] };
    match if_supported(structure.range(everything))? {
        Some((_, found)) => Ok(reference.check_range(everything, &found)),
        None => {
            let keys: Vec<_> = reference.entries().iter().map(|entry| entry.0).collect();
            Ok(reference.check_lookup(&keys, &structure.lookup(&keys)?.1))
        }
    }
}

fn mismatch(sample: &Sample, what: String) -> Error {
    Error::Mismatch { structure: sample.structure.clone(), sample: sample.to_string(), what }
}

/// A structure that takes more and more batches of a workload, unmeasured.
pub struct Growing<'a> {
    /// The structure.
    pub structure: Box<dyn Measured>,
    workload: &'a Workload,
    b: usize,
    batches: usize,
}

impl<'a> Growing<'a> {
    /// An empty structure.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn new(contender: &Contender, workload: &'a Workload, b: usize) -> Result<Self> {
        Ok(Self { structure: contender.make(b, workload.keys.len() / b)?, workload, b, batches: 0 })
    }

    /// Inserts batches until the structure holds the workload's first `r` batches.
    ///
    /// # Errors
    /// If memory runs out.
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
