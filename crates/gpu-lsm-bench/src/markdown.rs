//! The parts of documents that are made from results, between two markers.

use crate::bench::finished;
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::paper;
use crate::record::Record;
use crate::report::{Results, read};
use crate::statistics::Rates;
use crate::summary::{Group, Summary, summaries};
use crate::table::{Table, exact, short, size};
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

fn heading(device: &Results) -> String {
    let machine = &device.machine;
    format!(
        "### {}\n\n{}; {}, {} threads; {}.\n\n",
        machine.device, machine.driver, machine.processor, machine.threads, machine.date
    )
}

/// What was run on a device with which command, and every row of the paper's tables.
fn reproduce(device: &Results) -> Result<String> {
    let runs = finished(&device.folder)?;
    let selector = if device.machine.device == "host" { "host" } else { "gpu" };
    let header = ["paper", "command", "n", "time", "file", "verified"];
    let mut overview = Table::new("", "", &header);
    for (experiment, records) in &device.experiments {
        let n = records.iter().map(|record| record.sample.n).max().unwrap_or(0);
        let run = runs.iter().find(|run| run.experiment == experiment.name() && run.n == n);
        let folder = device.folder.file_name().unwrap_or_default().to_string_lossy();
        let verified = records.iter().all(|record| record.verified || record.sample.case == "copy");
        overview.rows.push(vec![
            experiment.of_the_paper().into(),
            format!("`gpu-lsm bench {} --device {selector} --n {n}`", experiment.name()),
            size(n),
            run.map_or("-".into(), |run| format!("{:.0} s", run.seconds)),
            format!("`results/{folder}/{}.jsonl`", experiment.name()),
            if verified { "yes" } else { "no" }.into(),
        ]);
    }
    let mut text = heading(device) + &overview.to_markdown();
    for (experiment, records) in &device.experiments {
        if matches!(experiment, Experiment::Insert | Experiment::Lookup | Experiment::Ranges) {
            let (paper, title) = (experiment.of_the_paper(), experiment.title());
            text.push_str(&format!(
                "\n{paper}, {}:\n\n{}",
                title.to_lowercase(),
                ratios(*experiment, records).to_markdown()
            ));
        }
    }
    Ok(text + "\n")
}

/// Ours against each other structure, row by row of one of the paper's tables.
fn ratios(experiment: Experiment, records: &[Record]) -> Table {
    let summaries = summaries(records);
    let others = others(summaries.values());
    let mut header = vec![
        "n/b".to_owned(),
        "case".into(),
        "paper's LSM".into(),
        "paper's SA".into(),
        "paper's LSM/SA".into(),
    ];
    header.extend(["gpu-lsm".to_owned(), "here paper_lsm/SA".into()]);
    header.extend(others.iter().map(|other| format!("gpu-lsm/{other}")));
    let mut table = Table { header, ..Table::default() };
    for (group, structures) in summaries.iter().filter(|(group, _)| group.case != "sort") {
        let mean = |name: &str| {
            structures.iter().find(|summary| summary.structure == name).map(|summary| summary.rates.mean)
        };
        let paper =
            |name: &str| paper::mean_rate(experiment.name(), name, group.batches, group.l, &group.case);
        let millions = |rate: Option<f64>| rate.map_or("-".into(), |rate| short(rate / 1e6));
        let theirs = |rate: Option<f64>| rate.map_or("-".into(), |rate| exact(rate / 1e6));
        let (lsm, array) = (paper("paper_lsm"), paper("sorted_array"));
        let mut row =
            vec![group.batches.to_string(), case(group), theirs(lsm), theirs(array), ratio(lsm, array)];
        row.push(millions(mean("gpu-lsm")));
        row.push(ratio(mean("paper_lsm"), mean("sorted_array")));
        row.extend(others.iter().map(|other| ratio(mean("gpu-lsm"), mean(other))));
        table.rows.push(row);
    }
    table
}

/// The structures beside ours, in their order.
fn others<'a>(groups: impl Iterator<Item = &'a Vec<Summary>>) -> Vec<String> {
    let found: Vec<_> = groups.flatten().map(|summary| summary.structure.clone()).collect();
    let known = crate::summary::ORDER.iter().filter(|name| !["gpu-lsm", "copy"].contains(name));
    known.filter(|name| found.iter().any(|other| other == *name)).map(ToString::to_string).collect()
}

fn case(group: &Group) -> String {
    group.l.map_or(group.case.clone(), |l| format!("{}, L = {l}", group.case))
}

fn ratio(one: Option<f64>, other: Option<f64>) -> String {
    one.zip(other).map_or("-".into(), |(one, other)| short(one / other))
}

/// One line for each operation: ours, and ours against the others; means over all batch sizes.
fn readme(device: &Results) -> String {
    let mut table = Table::default();
    let all: Vec<_> = device.experiments.iter().flat_map(|(_, records)| records.iter().cloned()).collect();
    let summaries_of_all = summaries(&all);
    let others = others(summaries_of_all.values());
    table.header = vec!["M operations/s".into(), "n".into(), "gpu-lsm".into()];
    table.header.extend(others.iter().map(|other| format!("times {other}")));
    for (name, experiment, case, l) in OPERATIONS {
        let Some((_, records)) = device.experiments.iter().find(|(known, _)| known == experiment) else {
            continue;
        };
        let summaries = summaries(records);
        let mean = |structure: &str| {
            let groups = summaries.iter().filter(|(group, _)| group.case == *case && group.l == *l);
            let rows = groups.flat_map(|(_, structures)| {
                structures.iter().filter(|summary| summary.structure == structure)
            });
            Rates::of(rows.map(|summary| summary.rates.mean)).map(|rates| rates.mean)
        };
        let n = records.iter().map(|record| record.sample.n).max().unwrap_or(0);
        let Some(ours) = mean("gpu-lsm") else { continue };
        let mut row = vec![(*name).into(), size(n), short(ours / 1e6)];
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
