//! One line per operation: all of them for `docs/measurements.md`, and a few for `README.md`.

use crate::record::experiment::Experiment;
use crate::record::statistics::Rates;
use crate::record::summary::others;
use crate::report::results::Results;
use crate::report::table::{Table, ratio, short, size};

/// The generated part of `README.md`: a few operations, and when and of which build they were measured.
pub(crate) fn readme(device: &Results) -> String {
    let is_brief = |operation: &&Operation| BRIEF.contains(&operation.0);
    let operations: Vec<_> = OPERATIONS.iter().filter(is_brief).collect();
    let mut measured: Vec<_> = operations.iter().filter_map(|operation| device.part(operation.1)).collect();
    measured.dedup_by_key(|part| &part.run.run);
    let runs = measured.iter().map(|part| {
        let (machine, started) = (&part.run.machine, part.run.started.split('T').next().unwrap_or_default());
        format!("{started}, {}, {}", machine.source(), machine.driver)
    });
    let (name, runs) = (device.device(), runs.collect::<Vec<_>>().join("; "));
    format!("**{name}** ({runs}):\n\n{}\n", table(device, &operations).to_markdown())
}

/// All operations.
pub(crate) fn overview(device: &Results) -> Table {
    table(device, &OPERATIONS.iter().collect::<Vec<_>>())
}

/// One line per operation: our rate, and its ratio to those of the others; means over all batch sizes.
fn table(device: &Results, operations: &[&Operation]) -> Table {
    let mut table = Table::default();
    let others = others(device.parts.iter().flat_map(|part| part.summaries.values()));
    table.header = vec!["M operations/s".into(), "n".into(), "gpu-lsm".into()];
    table.header.extend(others.iter().map(|other| format!("times {other}")));
    for (name, experiment, case, l) in operations {
        let Some(part) = device.part(*experiment) else { continue };
        let mean = |structure: &str| {
            let groups = part.summaries.iter().filter(|(group, _)| group.case == *case && group.l == *l);
            let rows = groups.flat_map(|(_, structures)| {
                structures.iter().filter(|summary| summary.structure == structure)
            });
            Rates::of(rows.map(|summary| summary.rates.mean)).map(|rates| rates.mean)
        };
        let Some(ours) = mean("gpu-lsm") else { continue };
        let mut row = vec![(*name).into(), size(part.n()), short(ours / 1e6)];
        row.extend(others.iter().map(|other| ratio(Some(ours), mean(other))));
        table.rows.push(row);
    }
    table
}

/// The operations in README, wins and losses among them.
const BRIEF: &[&str] = &[INSERT, MISSING, EXISTING, COUNT, RANGE, WINDOW];

const INSERT: &str = "insert";
const MISSING: &str = "lookup, none exist";
const EXISTING: &str = "lookup, all exist";
const COUNT: &str = "count, L = 8";
const RANGE: &str = "range, L = 1024";
const WINDOW: &str = "sliding window";

/// A line of the table: its name, and the records that it is made from.
type Operation = (&'static str, Experiment, &'static str, Option<usize>);

const OPERATIONS: &[Operation] = &[
    (INSERT, Experiment::Insert, "insert", None),
    (MISSING, Experiment::Lookup, "none", None),
    (EXISTING, Experiment::Lookup, "all", None),
    (COUNT, Experiment::Ranges, "count", Some(8)),
    ("count, L = 1024", Experiment::Ranges, "count", Some(1024)),
    ("range, L = 8", Experiment::Ranges, "range", Some(8)),
    (RANGE, Experiment::Ranges, "range", Some(1024)),
    ("cleanup, 10 % stale", Experiment::Cleanup, "cleanup, 10 % stale", None),
    ("bulk build", Experiment::Build, "build", None),
    ("steady overwriting", Experiment::Steady, "batch", None),
    (WINDOW, Experiment::Window, "batch", None),
];
