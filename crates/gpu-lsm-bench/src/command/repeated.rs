//! Experiments that are repeated.
//!
//! A machine may be half as fast a minute later, so one run says little. Here, runs follow each other. Each measures
//! all structures, and only the ratios of its records are kept.

use crate::command::bench::Bench;
use crate::error::{Error, Result};
use crate::measure::contender::{Contender, contenders};
use crate::measure::progress::{Part, Progress};
use crate::measure::scale::Scale;
use crate::record::experiment::Experiment;
use crate::record::machine::{Machine, moment, place};
use crate::record::sample::Record;
use crate::record::statistics::percentile;
use crate::record::temporary::TemporaryFolder;
use crate::report::medians::{Median, Medians};
use crate::report::ratios::{OURS, Ratios, Row, rates, times};
use gpu_lsm::Device;
use std::collections::BTreeMap;
use std::time::SystemTime;

/// The error if there are no ratios.
pub const NOTHING: &str = "nothing was measured: the experiment has no batches of such a size";

/// A device whose experiments are run several times.
#[derive(Debug, Clone, Copy)]
pub struct Repeated<'a> {
    /// The device.
    pub device: &'a Device,
    /// The names of the structures to compare with gpu-lsm; all if empty.
    pub beside: &'a [&'a str],
    /// The size of the experiments.
    pub scale: Scale,
}

impl Repeated<'_> {
    /// Runs the experiments several times, and applies `of` to the records of each run.
    ///
    /// # Errors
    /// If a structure, the device or a file fails.
    pub fn runs(
        &self,
        experiments: &[Experiment],
        runs: usize,
        of: impl Fn(&[Record]) -> Ratios,
        progress: &mut dyn Progress,
    ) -> Result<BTreeMap<Row, Vec<f64>>> {
        let mut all: BTreeMap<Row, Vec<f64>> = BTreeMap::new();
        for run in 1..=runs {
            let part = &mut Part { progress: &mut *progress, of: format!("run {run} of {runs}") };
            for (row, ratio) in self.once(experiments, &of, part)? {
                all.entry(row).or_default().push(ratio);
            }
        }
        Ok(all)
    }

    /// The structures to measure.
    fn contenders(&self) -> Result<Vec<Contender>> {
        let mut all = contenders(self.device);
        let names: Vec<_> = all.iter().map(|contender| contender.name).collect();
        if let Some(unknown) = self.beside.iter().find(|name| !names.contains(name)) {
            let names = names.join(", ");
            return Err(Error::Asked(format!("there is no structure {unknown} on this device, but {names}")));
        }
        let is_wanted = |name| self.beside.is_empty() || name == OURS || self.beside.contains(&name);
        all.retain(|contender| is_wanted(contender.name));
        Ok(all)
    }

    /// One run, whose records are discarded.
    fn once(
        &self,
        experiments: &[Experiment],
        of: &impl Fn(&[Record]) -> Ratios,
        progress: &mut dyn Progress,
    ) -> Result<Ratios> {
        let folder = TemporaryFolder::new("ratios")?;
        let bench = Bench::new(self.device, folder.path(), "ratios", true)?;
        let bench = bench.with_contenders(self.contenders()?);
        let mut all = Ratios::new();
        for &experiment in experiments {
            all.extend(of(&bench.run(experiment, self.scale, false, progress)?));
        }
        Ok(all)
    }

    /// The ratios of an experiment, each the median of several runs.
    ///
    /// # Errors
    /// If a structure, the device or a file fails.
    pub fn medians(
        &self,
        experiment: Experiment,
        runs: usize,
        progress: &mut dyn Progress,
    ) -> Result<Medians> {
        let both = |records: &[Record]| rates(records).into_iter().chain(times(records)).collect();
        let ratios = self.runs(&[experiment], runs, both, progress)?;
        if ratios.is_empty() {
            return Err(Error::Asked(NOTHING.into()));
        }
        Ok(Medians {
            experiment: experiment.name().into(),
            n: self.scale.n,
            runs,
            ended: moment(SystemTime::now()),
            machine: Machine::this(&place(self.device)),
            rows: ratios.into_iter().filter_map(median).collect(),
        })
    }
}

fn median(((what, structure), ratios): (Row, Vec<f64>)) -> Option<Median> {
    let at = |share| percentile(&ratios, share);
    Some(Median { what, structure, median: at(0.5)?, least: at(0.0)?, most: at(1.0)? })
}
