//! Ratios: gpu-lsm beside each other structure, each ratio the median of several runs.
//!
//! A machine may be half as fast in the next minute, so one run says little. Runs follow each other, each measures all
//! structures, and of its records only the ratios are kept.

use crate::bench::Bench;
use crate::contender::{Contender, contenders};
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::machine::{Machine, moment, place};
use crate::record::Record;
use crate::session::{Progress, Scale};
use crate::statistics::percentile;
use crate::summary::{Group, ORDER, Summaries, Summary, summaries};
use crate::table::{Table, short, size};
use crate::temporary::TemporaryFolder;
use gpu_lsm::Device;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What is wrong where there is nothing to tell.
pub const NOTHING: &str = "nothing was measured: the experiment has no batches of such a size";

/// Our own structure.
const OURS: &str = "gpu-lsm";

/// What was done, and who else did it.
pub type Row = (String, String);

/// Ratios by row; the higher, the faster gpu-lsm.
pub type Ratios = BTreeMap<Row, f64>;

/// A device whose experiments are run several times.
#[derive(Debug, Clone, Copy)]
pub struct Repeated<'a> {
    /// Where.
    pub device: &'a Device,
    /// Who is measured beside gpu-lsm, by name; everyone where nobody is named.
    pub beside: &'a [&'a str],
    /// How large.
    pub scale: Scale,
}

impl Repeated<'_> {
    /// What `of` makes of the records of each run.
    ///
    /// # Errors
    /// Where a structure, the device or a file fails.
    pub fn runs(
        &self,
        experiments: &[Experiment],
        runs: usize,
        of: impl Fn(&[Record]) -> Ratios,
        progress: &mut dyn Progress,
    ) -> Result<BTreeMap<Row, Vec<f64>>> {
        let mut all: BTreeMap<Row, Vec<f64>> = BTreeMap::new();
        for _ in 0..runs {
            for (row, ratio) in self.once(experiments, &of, progress)? {
                all.entry(row).or_default().push(ratio);
            }
        }
        Ok(all)
    }

    /// Who is measured.
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

    /// One run, whose records are not kept.
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
}

/// Rates of gpu-lsm by those of each other structure.
pub fn rates(records: &[Record]) -> Ratios {
    of_each(records, "", |_, _, summary| Some(summary.rates.mean))
}

/// Of insertions: times of each other structure by those of gpu-lsm, for merging alone and for the slowest batches; and the
/// rate of gpu-lsm by that of the bare sort of the same batches.
pub fn times(records: &[Record]) -> Ratios {
    let mut all = of_each(records, ", merging alone", |groups, group, batch| {
        Some(1.0 / merging_seconds(groups, group, batch)?)
    });
    all.extend(of_each(records, ", 99th percentile", |_, group, batch| {
        (group.case == "insert").then_some(1.0 / batch.seconds[2])
    }));
    all.extend(beside_the_sort(records));
    all
}

/// Rates of gpu-lsm's insertions by those of the bare sort.
fn beside_the_sort(records: &[Record]) -> Ratios {
    let groups = summaries(records);
    let rate = |group: &Group, name: &str| {
        let structures = groups.get(group)?;
        Some(structures.iter().find(|summary| summary.structure == name)?.rates.mean)
    };
    let inserts = groups.keys().filter(|group| group.case == "insert");
    let ratio = |group: &Group| {
        let sort = rate(&Group { case: "sort".into(), ..group.clone() }, "bare_sort")?;
        let what = format!("{}, n/b = {}", group.described(), group.batches);
        Some(((format!("insert {what}"), "bare_sort".into()), rate(group, OURS)? / sort))
    };
    inserts.filter_map(ratio).collect()
}

/// The mean time of a structure's batch but for its sort.
pub(crate) fn merging_seconds(groups: &Summaries, group: &Group, batch: &Summary) -> Option<f64> {
    let sorts = groups.get(&Group { case: "sort".into(), ..group.clone() })?;
    let sort = sorts.iter().find(|sort| sort.structure == batch.structure)?;
    Some(batch.mean_seconds() - sort.mean_seconds())
        .filter(|&seconds| group.case == "insert" && seconds > 0.0)
}

/// What `rate` says of gpu-lsm by what it says of each other structure, where it says something of both.
fn of_each(
    records: &[Record],
    kind: &str,
    rate: impl Fn(&Summaries, &Group, &Summary) -> Option<f64>,
) -> Ratios {
    let Some(experiment) = records.first().map(|record| record.sample.experiment.clone()) else {
        return Ratios::new();
    };
    let groups = summaries(records);
    let mut all = Ratios::new();
    for (group, structures) in &groups {
        let rate = |summary: &Summary| rate(&groups, group, summary);
        let Some(ours) = structures.iter().find(|summary| summary.structure == OURS) else { continue };
        for other in structures.iter().filter(|summary| summary.structure != OURS) {
            if let (Some(our_rate), Some(their_rate)) = (rate(ours), rate(other)) {
                let what = format!("{experiment} {}, n/b = {}{kind}", group.described(), group.batches);
                all.insert((what, other.structure.clone()), our_rate / their_rate);
            }
        }
    }
    all
}

/// The ratios of an experiment, each with what its runs came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Medians {
    /// The experiment.
    pub experiment: String,
    /// How many entries.
    pub n: usize,
    /// How many runs.
    pub runs: usize,
    /// The date and time when the last ended.
    pub ended: String,
    /// What was measured with.
    pub machine: Machine,
    /// The ratios.
    pub rows: Vec<Median>,
}

/// A ratio of gpu-lsm to another structure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Median {
    /// What was done.
    pub what: String,
    /// Who else did it.
    pub structure: String,
    /// The median of all runs.
    pub median: f64,
    /// The run that was worst for gpu-lsm.
    pub least: f64,
    /// The run that was best for it.
    pub most: f64,
}

impl Medians {
    /// Runs an experiment several times.
    ///
    /// # Errors
    /// Where a structure, the device or a file fails.
    pub fn measure(
        repeated: Repeated<'_>,
        experiment: Experiment,
        runs: usize,
        progress: &mut dyn Progress,
    ) -> Result<Self> {
        let both = |records: &[Record]| rates(records).into_iter().chain(times(records)).collect();
        let ratios = repeated.runs(&[experiment], runs, both, progress)?;
        if ratios.is_empty() {
            return Err(Error::Asked(NOTHING.into()));
        }
        let median = |((what, structure), ratios): (Row, Vec<f64>)| {
            let at = |share| percentile(&ratios, share);
            Some(Median { what, structure, median: at(0.5)?, least: at(0.0)?, most: at(1.0)? })
        };
        Ok(Self {
            experiment: experiment.name().into(),
            n: repeated.scale.n,
            runs,
            ended: moment(SystemTime::now()),
            machine: Machine::this(&place(repeated.device)),
            rows: ratios.into_iter().filter_map(median).collect(),
        })
    }

    /// Writes them beside the device's other results; gives the file.
    ///
    /// # Errors
    /// Where it can't be written.
    pub fn write(&self, results: &Path, device: &Device) -> Result<PathBuf> {
        let folder = results.join(place(device).folder());
        let path = file(&folder, &self.experiment);
        let text = serde_json::to_string_pretty(self).map_err(|error| Error::file(&path)(error.into()))?;
        fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        fs::write(&path, text + "\n").map_err(Error::file(&path))?;
        Ok(path)
    }

    /// Those of an experiment in a device's folder, where they were measured.
    ///
    /// # Errors
    /// Where they can't be read.
    pub fn read(folder: &Path, experiment: Experiment) -> Result<Option<Self>> {
        let path = file(folder, experiment.name());
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
        serde_json::from_str(&text).map(Some).map_err(|error| Error::Record { path, line: 1, error })
    }

    /// As a table: a column for each other structure.
    pub fn table(&self) -> Table {
        let title = format!(
            "{}, n = {}: gpu-lsm beside others, the median of {} runs, and the least and the most",
            self.experiment,
            size(self.n),
            self.runs
        );
        let is_there = |name: &&&str| self.rows.iter().any(|row| row.structure == **name);
        let others: Vec<_> = ORDER.iter().filter(is_there).copied().collect();
        let header: Vec<_> = ["times as fast"].into_iter().chain(others.iter().copied()).collect();
        let mut table = Table::new(title, "", &header);
        let mut whats: Vec<_> = self.rows.iter().map(|row| &row.what).collect();
        whats.dedup();
        for what in whats {
            let cell = |other: &&str| {
                let row = self.rows.iter().find(|row| row.what == *what && row.structure == **other);
                row.map_or("-".into(), Median::text)
            };
            table.rows.push([what.clone()].into_iter().chain(others.iter().map(cell)).collect());
        }
        table
    }
}

impl Median {
    fn text(&self) -> String {
        let [median, least, most] = [self.median, self.least, self.most].map(short);
        format!("{median} ({least} to {most})")
    }
}

/// The file of an experiment's ratios.
fn file(folder: &Path, experiment: &str) -> PathBuf {
    folder.join(format!("{experiment}-ratios.json"))
}
