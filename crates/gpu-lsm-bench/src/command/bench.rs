//! Runs experiments on a device: files, sizes that fit the given time, and plots.

use crate::error::{Error, Result};
use crate::measure::contender::{Contender, contenders};
use crate::measure::experiments;
use crate::measure::progress::Progress;
use crate::measure::scale::Scale;
use crate::measure::session::Session;
use crate::record::experiment::Experiment;
use crate::record::kept::Kept;
use crate::record::lock::Lock;
use crate::record::machine::{Machine, place};
use crate::record::run::CurrentRun;
use crate::record::sample::{Place, Record};
use crate::record::store::{self, Store};
use crate::record::summary::largest;
use crate::record::temporary::TemporaryFolder;
use crate::report::plots::draw;
use gpu_lsm::Device;
use std::cell::Cell;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What n can be. There are 2^31 keys, of which some experiments need twice as many as there are entries.
const SIZES: RangeInclusive<usize> = 1 << 8..=1 << 29;
/// The n of a quick run.
pub const QUICK_N: usize = 1 << 14;
/// The first n of a run that searches for the largest n that fits its time.
const FIRST_N: usize = 1 << 14;
/// The factor by which an experiment's time grows at most if n doubles.
const GROWTH: f64 = 2.3;

/// A device with a folder for its results. No other bench writes to the folder at the same time.
#[derive(Debug)]
pub struct Bench {
    device: Device,
    place: Place,
    contenders: Vec<Contender>,
    folder: PathBuf,
    run: CurrentRun,
    is_warm: Cell<bool>,
    _lock: Lock,
}

impl Bench {
    /// Results of `device` go to a subfolder of `results` named after it. An unfinished run with the same `asked` is
    /// resumed, unless `fresh` is set: see [`run`](crate::record::run).
    ///
    /// # Errors
    /// [`Error::Busy`] if another bench writes to the folder; also if the folder cannot be read or written.
    pub fn new(device: &Device, results: &Path, asked: &str, fresh: bool) -> Result<Self> {
        let place = place(device);
        let folder = results.join(place.folder());
        // Taken first, because from here on nobody else may change which run is resumed.
        let lock = Lock::take(&folder)?;
        let run = CurrentRun::begin(&folder, Machine::this(&place), asked, fresh)?;
        let (device, contenders) = (device.clone(), contenders(device));
        Ok(Self { device, contenders, place, folder, run, is_warm: Cell::new(false), _lock: lock })
    }

    /// The current run, whose name is in its records.
    pub fn current_run(&self) -> &CurrentRun {
        &self.run
    }

    /// The folder of the results.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Measures other contenders than the usual ones, for tests.
    #[must_use]
    pub fn with_contenders(self, contenders: Vec<Contender>) -> Self {
        Self { contenders, is_warm: Cell::new(false), ..self }
    }

    /// Measures the samples of an experiment that this run still lacks, writes its summaries, draws its plots, and
    /// returns its records.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if an answer is wrong; also if a structure, the device or a file fails.
    pub fn run(
        &self,
        experiment: Experiment,
        scale: Scale,
        verify: bool,
        progress: &mut dyn Progress,
    ) -> Result<Vec<Record>> {
        if !scale.n.is_power_of_two() || !SIZES.contains(&scale.n) {
            let sizes = "it must be a power of two, 256 at least and 2^29 at most";
            return Err(Error::Asked(format!("n is {}: {sizes}", scale.n)));
        }
        let started = Instant::now();
        let path = store::file(&self.folder, experiment.name());
        let mut store = Store::open(&path, self.run.name())?;
        self.warm_up()?;
        let mut session = Session {
            run: &self.run,
            place: &self.place,
            contenders: &self.contenders,
            store: &mut store,
            verify,
            repeat_for: scale.repeat_for,
            progress,
        };
        experiments::run(experiment, &mut session, scale, &self.device)?;
        let records = largest(store.records().to_vec());
        if let Some(kept) = Kept::of(&records) {
            kept.write(&self.folder)?;
            draw(experiment, &kept.summaries, &Machine::this(&self.place), &self.folder)?;
        }
        if store.added() > 0 {
            self.run.finish_experiment(experiment.name(), scale.n, started.elapsed().as_secs_f64())?;
        }
        Ok(records)
    }

    /// Measures an experiment at the scale of a growing n, as far as `seconds` seconds and the device's buffers allow, and
    /// returns the largest n. The first n is measured in any case.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn run_within(
        &self,
        experiment: Experiment,
        seconds: f64,
        scale: impl Fn(usize) -> Scale,
        verify: bool,
        progress: &mut dyn Progress,
    ) -> Result<(usize, Vec<Record>)> {
        let (mut n, mut spent) = (FIRST_N, 0.0);
        loop {
            let known = self.run.seconds(experiment.name(), n)?;
            let started = Instant::now();
            let records = self.run(experiment, scale(n), verify, progress)?;
            let took = known.unwrap_or(started.elapsed().as_secs_f64());
            spent += took;
            let fits = |doublings: i32| {
                (n << doublings) as u64 <= self.largest_n()
                    && spent + took * GROWTH.powi(doublings) <= seconds
            };
            match (1..=3).rev().find(|&doublings| fits(doublings)) {
                Some(doublings) => n <<= doublings,
                None => return Ok((n, records)),
            }
        }
    }

    /// The largest n that every structure can hold. The paper's LSM has all its levels in one array.
    fn largest_n(&self) -> u64 {
        (self.device.limits().entries_u32 / 4).min(1 << 27)
    }

    /// Compiles every kernel before the first measurements.
    fn warm_up(&self) -> Result<()> {
        if !self.is_warm.get() {
            let folder = TemporaryFolder::new("warm-up")?;
            warm_up_in(folder.path(), &self.contenders, &self.place, &self.device)?;
            self.is_warm.set(true);
        }
        Ok(())
    }
}

/// Runs some operations of every structure at a tiny size.
fn warm_up_in(folder: &Path, contenders: &[Contender], place: &Place, device: &Device) -> Result<()> {
    let run = CurrentRun::begin(folder, Machine::this(place), "warm-up", true)?;
    let mut store = Store::open(&folder.join("warm-up.jsonl"), run.name())?;
    let progress = &mut crate::measure::progress::Quiet;
    let scale = Scale { samples: 1, batches: 16, ..Scale::quick(1 << 8) };
    let (store, repeat_for) = (&mut store, scale.repeat_for);
    let mut session = Session { run: &run, place, contenders, store, verify: false, repeat_for, progress };
    for experiment in [Experiment::Cleanup, Experiment::Window, Experiment::Ranges, Experiment::Build] {
        experiments::run(experiment, &mut session, scale, device)?;
    }
    Ok(())
}
