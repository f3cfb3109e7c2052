//! One line per operation: all of them for `docs/measurements.md` and the report, and a few for `README.md`.

use crate::measure::adapters::ours::GpuLsm;
use crate::measure::structure::Structure;
use crate::record::experiment::Experiment;
use crate::record::statistics::Rates;
use crate::record::summary::others;
use crate::report::results::Results;
use crate::report::table::{Table, ratio, short, size};

/// The generated part of `README.md`: when and of which build each device was measured, and a few operations on all of them.
pub(crate) fn readme(devices: &[Results]) -> String {
    let operations: Vec<_> = OPERATIONS.iter().filter(|operation| BRIEF.contains(&operation.name)).collect();
    let mut table = Table::new("", "", &["M operations/s (n)"]);
    for device in devices {
        let columns =
            [device.device().to_owned(), format!("times {PAPER}"), "times the fastest other".into()];
        table.header.extend(columns);
    }
    for operation in &operations {
        let cells = devices.iter().flat_map(|device| operation.brief(device));
        table.rows.push(std::iter::once(operation.name.into()).chain(cells).collect());
    }
    let runs: String = devices.iter().map(|device| runs(device, &operations)).collect();
    if devices.is_empty() { String::new() } else { format!("{}\n{runs}", table.to_markdown()) }
}

/// The runs in which operations were measured on a device, as one item of a list.
fn runs(device: &Results, operations: &[&Operation]) -> String {
    let mut runs = Vec::new();
    for part in operations.iter().filter_map(|operation| device.part(operation.experiment)) {
        let (machine, started) = (&part.run.machine, part.run.started.split('T').next().unwrap_or_default());
        let run = format!("{started}, {}, {}", machine.source(), machine.driver);
        if !runs.contains(&run) {
            runs.push(run);
        }
    }
    format!("- {}: {}\n", device.device(), runs.join("; "))
}

/// All operations. One line each: our rate, and its ratio to those of the others that have it; means over all batch sizes.
pub(crate) fn overview(device: &Results) -> Table {
    let has_one = |other: &String| OPERATIONS.iter().any(|operation| operation.rate(device, other).is_some());
    let others: Vec<_> = others_on(device).into_iter().filter(has_one).collect();
    let mut table = Table::new("", "", &["M operations/s", "n", GpuLsm::NAME]);
    table.header.extend(others.iter().map(|other| format!("times {other}")));
    for operation in OPERATIONS {
        let Some((n, ours)) = operation.ours(device) else { continue };
        let mut row = vec![operation.name.into(), size(n), short(ours / 1e6)];
        row.extend(others.iter().map(|other| ratio(Some(ours), operation.rate(device, other))));
        table.rows.push(row);
    }
    table
}

fn others_on(device: &Results) -> Vec<String> {
    others(device.parts.iter().flat_map(|part| part.summaries.values()))
}

/// The structure that README compares with in every row.
const PAPER: &str = "paper_lsm";

/// The operations in README, wins and losses among them.
const BRIEF: &[&str] = &[INSERT, EXISTING, COUNT, RANGE, EXPIRY];

const INSERT: &str = "insert";
const EXISTING: &str = "lookup, all exist";
const COUNT: &str = "count, L = 8";
const RANGE: &str = "range, L = 1024";
const EXPIRY: &str = "sliding window, by interval";

/// A line of the table, and the records that it is made from.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    experiment: Experiment,
    case: &'static str,
    l: Option<usize>,
}

impl Operation {
    const fn new(name: &'static str, experiment: Experiment, case: &'static str, l: Option<usize>) -> Self {
        Self { name, experiment, case, l }
    }

    /// Our rate and the number of entries, if it was measured.
    pub(crate) fn ours(&self, device: &Results) -> Option<(usize, f64)> {
        Some((device.part(self.experiment)?.n(), self.rate(device, GpuLsm::NAME)?))
    }

    /// In README: our rate, and its ratios to those of the paper's LSM and of the fastest other structure.
    fn brief(&self, device: &Results) -> [String; 3] {
        let Some((n, ours)) = self.ours(device) else { return ["-".into(), "-".into(), "-".into()] };
        let fastest = self
            .fastest_other(device)
            .map_or("-".into(), |(name, rate)| format!("{} ({name})", ratio(Some(ours), Some(rate))));
        let paper = ratio(Some(ours), self.rate(device, PAPER));
        [format!("{} ({})", short(ours / 1e6), size(n)), paper, fastest]
    }

    /// The fastest other structure and its rate, if there is one.
    pub(crate) fn fastest_other(&self, device: &Results) -> Option<(String, f64)> {
        let rates = others_on(device).into_iter().filter_map(|other| {
            let rate = self.rate(device, &other)?;
            Some((other, rate))
        });
        rates.max_by(|one, other| one.1.total_cmp(&other.1))
    }

    /// The mean rate of a structure over all batch sizes.
    fn rate(&self, device: &Results, structure: &str) -> Option<f64> {
        let part = device.part(self.experiment)?;
        let groups = part.summaries.iter().filter(|(group, _)| group.case == self.case && group.l == self.l);
        let rows = groups
            .flat_map(|(_, structures)| structures.iter().filter(|summary| summary.structure == structure));
        Rates::of(rows.map(|summary| summary.rates.mean)).map(|rates| rates.mean)
    }
}

pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::new(INSERT, Experiment::Insert, "insert", None),
    Operation::new("lookup, none exist", Experiment::Lookup, "none", None),
    Operation::new(EXISTING, Experiment::Lookup, "all", None),
    Operation::new(COUNT, Experiment::Ranges, "count", Some(8)),
    Operation::new("count, L = 1024", Experiment::Ranges, "count", Some(1024)),
    Operation::new("range, L = 8", Experiment::Ranges, "range", Some(8)),
    Operation::new(RANGE, Experiment::Ranges, "range", Some(1024)),
    Operation::new("cleanup, 10 % stale", Experiment::Cleanup, "cleanup, 10 % stale", None),
    Operation::new("bulk build", Experiment::Build, "build", None),
    Operation::new("steady overwriting", Experiment::Steady, "batch", None),
    Operation::new("sliding window, key by key", Experiment::Window, "batch", None),
    Operation::new(EXPIRY, Experiment::Expiry, "batch", None),
];
