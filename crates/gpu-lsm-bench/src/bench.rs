//! Running experiments on a device: files, sizes that fit the time, and plots.

use crate::contender::{Contender, contenders};
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::machine::{Machine, place};
use crate::plots::plots;
use crate::record::{Place, Record, Store};
use crate::session::{Progress, Scale, Session};
use crate::summary::largest;
use gpu_lsm::Device;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// The n of a quick run.
pub const QUICK_N: usize = 1 << 14;
/// The n that a run begins with which looks for as large a one as its time allows.
const FIRST_N: usize = 1 << 14;
/// How much longer an experiment takes with twice the entries, at most.
const GROWTH: f64 = 2.3;

/// A device with a folder for its results.
#[derive(Debug)]
pub struct Bench {
    device: Device,
    place: Place,
    contenders: Vec<Contender>,
    folder: PathBuf,
}

/// A run of an experiment that came to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// Which experiment.
    pub experiment: String,
    /// How many entries.
    pub n: usize,
    /// How long it took, all told.
    pub seconds: f64,
}

impl Bench {
    /// Results of `device` go to a folder of its name under `results`.
    ///
    /// # Errors
    /// Where the folder can't be written.
    pub fn new(device: &Device, results: &Path) -> Result<Self> {
        let place = place(device);
        let folder = results.join(place.folder());
        Machine::this(&place).write(&folder)?;
        Ok(Self { device: device.clone(), contenders: contenders(device), place, folder })
    }

    /// Where the results go.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Measures with others than those that there are: for tests.
    #[must_use]
    pub fn with_contenders(self, contenders: Vec<Contender>) -> Self {
        Self { contenders, ..self }
    }

    /// Measures what of an experiment is not measured yet, draws its plots, and returns its records.
    ///
    /// # Errors
    /// [`Error::Mismatch`] where an answer is wrong, and where a structure, the device or a file fails.
    pub fn run(
        &self,
        experiment: Experiment,
        scale: Scale,
        verify: bool,
        progress: &mut dyn Progress,
    ) -> Result<Vec<Record>> {
        if scale.n < 1 << 8 || !scale.n.is_power_of_two() {
            return Err(Error::Asked(format!("n is {}: it must be a power of two, 256 at least", scale.n)));
        }
        let started = Instant::now();
        let mut store = Store::open(&self.folder.join(format!("{}.jsonl", experiment.name())))?;
        let before = store.records().len();
        self.warm_up()?;
        let contenders = &self.contenders;
        let mut session = Session { place: &self.place, contenders, store: &mut store, verify, progress };
        experiment.run(&mut session, scale, &self.device)?;
        let measured_anything = store.records().len() > before;
        let records = largest(store.records().to_vec());
        draw(experiment, &records, &self.folder)?;
        if measured_anything {
            self.remember(experiment, scale.n, started.elapsed().as_secs_f64())?;
        }
        Ok(records)
    }

    /// Measures an experiment with n from small to as large as `seconds` seconds allow, and says how large that was.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_within(
        &self,
        experiment: Experiment,
        seconds: f64,
        verify: bool,
        progress: &mut dyn Progress,
    ) -> Result<(usize, Vec<Record>)> {
        let (mut n, mut spent) = (FIRST_N, 0.0);
        loop {
            let known = finished(&self.folder)?
                .into_iter()
                .find(|run| run.experiment == experiment.name() && run.n == n);
            let started = Instant::now();
            let records = self.run(experiment, Scale::full(n), verify, progress)?;
            let took = known.map_or(started.elapsed().as_secs_f64(), |run| run.seconds);
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

    /// The largest n that every structure can hold: the paper's has all its levels in one array.
    fn largest_n(&self) -> u64 {
        (self.device.limits().entries_u32 / 4).min(1 << 27)
    }

    /// Lets every kernel be compiled before anything is measured.
    fn warm_up(&self) -> Result<()> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("gpu-lsm-warm-up-{}-{number}", std::process::id()));
        let result = warm_up_in(&folder, &self.contenders, &self.place, &self.device);
        fs::remove_dir_all(&folder).map_err(Error::file(&folder))?;
        result
    }

    /// Writes down that a run came to its end.
    fn remember(&self, experiment: Experiment, n: usize, seconds: f64) -> Result<()> {
        let mut runs = finished(&self.folder)?;
        let name = experiment.name();
        match runs.iter_mut().find(|run| run.experiment == name && run.n == n) {
            // Of a run that was cut off and went on, this is only the rest.
            Some(run) => run.seconds += seconds,
            None => runs.push(Finished { experiment: name.into(), n, seconds }),
        }
        let path = self.folder.join("runs.json");
        let text = serde_json::to_string_pretty(&runs).map_err(|error| Error::file(&path)(error.into()))?;
        fs::write(&path, text + "\n").map_err(Error::file(&path))
    }
}

/// Runs some operations of every structure at a size that takes no time.
fn warm_up_in(folder: &Path, contenders: &[Contender], place: &Place, device: &Device) -> Result<()> {
    let mut store = Store::open(&folder.join("warm-up.jsonl"))?;
    let mut progress = crate::session::Quiet;
    let mut session =
        Session { place, contenders, store: &mut store, verify: false, progress: &mut progress };
    let scale = Scale { samples: 1, batches: 16, ..Scale::quick(1 << 8) };
    for experiment in [Experiment::Cleanup, Experiment::Window, Experiment::Ranges, Experiment::Build] {
        experiment.run(&mut session, scale, device)?;
    }
    Ok(())
}

/// The runs that came to their end, as they were written down beside results.
///
/// # Errors
/// Where they can't be read.
pub fn finished(folder: &Path) -> Result<Vec<Finished>> {
    let path = folder.join("runs.json");
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
    serde_json::from_str(&text).map_err(|error| Error::Record { path, line: 1, error })
}

/// Draws the plots of an experiment beside its records.
///
/// # Errors
/// Where they can't be drawn.
pub fn draw(experiment: Experiment, records: &[Record], folder: &Path) -> Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    plots(experiment, records).iter().filter(|plot| !plot.is_empty()).try_for_each(|plot| plot.write(folder))
}
