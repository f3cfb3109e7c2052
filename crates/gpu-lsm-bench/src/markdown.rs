//! The parts of documents that are made from results, between two markers.

use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::report::{Results, described, read};
use crate::reproduce::reproduce;
use crate::statistics::Rates;
use crate::summary::Summary;
use crate::table::{Table, short, size};
use std::fs;
use std::path::Path;

/// What stands before and after what is made.
const BEGIN: &str = "<!-- made from results by `gpu-lsm bench report --markdown`: begin -->\n";
const END: &str = "<!-- end -->";

/// Writes the made parts of `REPRODUCE.md` and `README.md` in a folder; or, to `check`, only compares them.
///
/// # Errors
/// [`Error::NotCurrent`] where a comparison fails, and where files can't be read or written.
pub fn update(results: &Path, documents: &Path, check: bool) -> Result<()> {
    let devices = read(results)?;
    let reproduce = devices.iter().map(reproduce).collect::<Result<String>>()?;
    let readme: String = devices.iter().map(readme).collect();
    replace(&documents.join("REPRODUCE.md"), &reproduce, check)?;
    replace(&documents.join("README.md"), &readme, check)
}

fn replace(path: &Path, made: &str, check: bool) -> Result<()> {
    let text = fs::read_to_string(path).map_err(Error::file(path))?;
    let no_markers = || Error::Asked(format!("{} has no place for results", path.display()));
    let start = text.find(BEGIN).ok_or_else(no_markers)? + BEGIN.len();
    let end = start + text[start..].find(END).ok_or_else(no_markers)?;
    let made = if made.is_empty() { "Nothing was measured yet." } else { made.trim() };
    let new = format!("{}\n{made}\n\n{}", &text[..start], &text[end..]);
    match check {
        _ if new == text => Ok(()),
        true => Err(Error::NotCurrent { path: path.to_owned() }),
        false => fs::write(path, new).map_err(Error::file(path)),
    }
}

/// The device, and the runs that its numbers are of.
pub(crate) fn heading(device: &Results) -> String {
    let runs: String = described(&device.runs()).iter().map(|runs| format!("{runs}\n\n")).collect();
    format!("### {}\n\n{runs}", device.device())
}

/// The structures beside ours, in their order.
pub(crate) fn others<'a>(groups: impl Iterator<Item = &'a Vec<Summary>>) -> Vec<String> {
    let found: Vec<_> = groups.flatten().map(|summary| summary.structure.clone()).collect();
    let known = crate::summary::ORDER.iter().filter(|name| !["gpu-lsm", "bare_sort", "copy"].contains(name));
    known.filter(|name| found.iter().any(|other| other == *name)).map(ToString::to_string).collect()
}

/// One by the other, where both are known.
pub(crate) fn ratio(one: Option<f64>, other: Option<f64>) -> String {
    one.zip(other).map_or("-".into(), |(one, other)| short(one / other))
}

/// One line for each operation: ours, and ours against the others; means over all batch sizes.
fn readme(device: &Results) -> String {
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

/// A line of the README's table: its name, and which records it is of.
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
