//! The generated part of `README.md`: one line per operation.

use crate::record::experiment::Experiment;
use crate::record::statistics::Rates;
use crate::record::summary::others;
use crate::report::results::{Results, heading};
use crate::report::table::{Table, ratio, short, size};

/// One line per operation: our rate, and its ratio to those of the others; means over all batch sizes.
pub(crate) fn readme(device: &Results) -> String {
    let mut table = Table::default();
    let others = others(device.parts.iter().flat_map(|part| part.summaries.values()));
    table.header = vec!["M operations/s".into(), "n".into(), "gpu-lsm".into()];
    table.header.extend(others.iter().map(|other| format!("times {other}")));
    for (name, experiment, case, l) in OPERATIONS {
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
    heading(device) + &table.to_markdown() + "\n"
}

/// A line of the README's table: its name, and the records that it is made from.
type Operation = (&'static str, Experiment, &'static str, Option<usize>);

const OPERATIONS: &[Operation] = &[
    ("insert (Table II)", Experiment::Insert, "insert", None),
    ("lookup, none exist (Table III)", Experiment::Lookup, "none", None),
    ("lookup, all exist (Table III)", Experiment::Lookup, "all", None),
    ("count, L = 8 (Table IV)", Experiment::Ranges, "count", Some(8)),
    ("count, L = 1024 (Table IV)", Experiment::Ranges, "count", Some(1024)),
    ("range, L = 8 (Table IV)", Experiment::Ranges, "range", Some(8)),
    ("range, L = 1024 (Table IV)", Experiment::Ranges, "range", Some(1024)),
    ("cleanup, 10 % stale", Experiment::Cleanup, "cleanup, 10 % stale", None),
    ("bulk build", Experiment::Build, "build", None),
    ("steady overwriting", Experiment::Steady, "batch", None),
    ("sliding window", Experiment::Window, "batch", None),
];
