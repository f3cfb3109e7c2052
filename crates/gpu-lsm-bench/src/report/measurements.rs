//! The generated part of `docs/measurements.md`: an overview, commands, and every row of the paper's tables.

use crate::error::Result;
use crate::measure::scale::Scale;
use crate::record::experiment::Experiment;
use crate::record::summary::{Group, Summary, others};
use crate::report::medians::Medians;
use crate::report::overview::overview;
use crate::report::paper;
use crate::report::ratios::merging_seconds;
use crate::report::results::{Part, Results, heading};
use crate::report::table::{Table, exact, ratio, short, size};
use std::collections::BTreeMap;

/// A device's overview, the commands that were run on it, and every row of the paper's tables.
pub(crate) fn measurements(device: &Results) -> Result<String> {
    let (overview, commands) = (overview(device).to_markdown(), commands(device).to_markdown());
    let mut text = format!("{}{overview}\n### Commands\n\n{commands}", heading(device));
    for part in &device.parts {
        let table = match part.experiment {
            Experiment::Insert => with_missing(insertion(part), part, &powers(0..=12)),
            Experiment::Lookup => with_missing(ratios(part), part, &powers(0..=8)),
            Experiment::Ranges => with_missing(ratios(part), part, &powers(4..=8)),
            Experiment::BatchTime => with_missing(effective(part), part, &[16, 64, 256]),
            Experiment::Build | Experiment::Cleanup | Experiment::Clustered => ratios(part),
            _ => continue,
        };
        let (paper, title) = (part.experiment.of_the_paper(), part.experiment.title().to_lowercase());
        text.push_str(&format!("\n### {paper}: {title}\n\n{}", table.to_markdown()));
    }
    Ok(text + &medians(device)? + "\n")
}

/// The ratios that are medians of several runs, with their date and source.
fn medians(device: &Results) -> Result<String> {
    let mut text = String::new();
    for experiment in Experiment::ALL {
        if let Some(medians) = Medians::read(&device.folder, experiment)? {
            let (table, machine) = (medians.table(), &medians.machine);
            let about = format!("{}, {}, {}", medians.ended, machine.source(), machine.driver);
            let title = format!("### Several runs: {}", experiment.name());
            text.push_str(&format!("\n{title}\n\n{} ({about}):\n\n{}", table.title, table.to_markdown()));
        }
    }
    Ok(text)
}

fn powers(exponents: std::ops::RangeInclusive<u32>) -> Vec<usize> {
    exponents.map(|exponent| 1 << exponent).collect()
}

/// Every experiment, with its command if it was run.
fn commands(device: &Results) -> Table {
    let selector = if device.device() == "host" { "host" } else { "gpu" };
    let folder = device.folder.file_name().unwrap_or_default().to_string_lossy();
    let header = ["paper", "to repeat it, with answers compared", "n", "time", "file", "run", "verified"];
    let mut table = Table::new("", "", &header);
    for experiment in Experiment::ALL {
        let (paper, name) = (experiment.of_the_paper().to_owned(), experiment.name());
        let command = format!("gpu-lsm bench {name} --device {selector}");
        table.rows.push(match device.part(experiment) {
            Some(part) => vec![
                paper,
                format!("`{command} --n {} --verify`", part.n()),
                size(part.n()),
                part.seconds().map_or("not finished".into(), |seconds| format!("{seconds:.0} s")),
                format!("[{name}.jsonl](../results/{folder}/{name}.jsonl)"),
                part.run.started.clone(),
                if is_verified(part) { "yes" } else { "no" }.into(),
            ],
            None => [paper, format!("`{command} --verify`"), "not measured".into()]
                .into_iter()
                .chain((3..header.len()).map(|_| "-".into()))
                .collect(),
        });
    }
    table
}

/// Whether all rows are verified. A copy is compared with its own source, so it is not among them.
fn is_verified(part: &Part) -> bool {
    let mut rows = part.summaries.iter().filter(|(group, _)| group.case != "copy").flat_map(|(_, all)| all);
    rows.all(|summary| summary.verified)
}

/// Adds a row for each number of batches that was not measured, and says what it would take.
fn with_missing(mut table: Table, part: &Part, batches: &[usize]) -> Table {
    let is_missing = |batches: &&usize| !table.rows.iter().any(|row| row[0] == batches.to_string());
    let missing: Vec<_> = batches.iter().filter(is_missing).copied().collect();
    for batches in missing {
        let needed = batches * Scale::full(part.n()).smallest;
        let why = if part.n() < needed { format!(": needs n >= {}", size(needed)) } else { String::new() };
        let mut row = vec!["-".to_owned(); table.header.len()];
        row[0] = batches.to_string();
        row[1] = format!("not measured{why}");
        table.rows.push(row);
    }
    table
}

/// The paper's structures: our name for each, and the paper's.
const OF_THE_PAPER: [(&str, &str); 3] =
    [("paper_lsm", "LSM"), ("sorted_array", "SA"), ("cuckoo_hash", "hash table")];

fn find<'a>(structures: &'a [Summary], name: &str) -> Option<&'a Summary> {
    structures.iter().find(|summary| summary.structure == name)
}

/// The rows of one of the paper's tables: the paper's rates, ours, and the ratio of ours to each other structure.
fn ratios(part: &Part) -> Table {
    let is_measured = |(group, _): &(&Group, &Vec<Summary>)| group.case != "sort";
    let measured: BTreeMap<&Group, &Vec<Summary>> = part.summaries.iter().filter(is_measured).collect();
    let others = others(measured.values().copied());
    let paper = |name: &str, group: &Group| {
        paper::mean_rate(part.experiment.name(), name, group.batches, group.l, &group.case)
    };
    let is_given = |known: &(&str, &str)| measured.keys().any(|group| paper(known.0, group).is_some());
    let theirs: Vec<_> = OF_THE_PAPER.into_iter().filter(is_given).collect();
    let mut header = vec!["n/b".to_owned(), "case".into()];
    header.extend(theirs.iter().map(|known| format!("paper's {}", known.1)));
    header.extend(["paper's LSM/SA", "here paper_lsm/sorted_array", "gpu-lsm"].map(str::to_owned));
    header.extend(others.iter().map(|other| format!("gpu-lsm/{other}")));
    let mut table = Table { header, ..Table::default() };
    for (&group, structures) in &measured {
        let mean = |name: &str| find(structures, name).map(|summary| summary.rates.mean);
        let given = |known: &(&str, &str)| paper(known.0, group).map_or("-".into(), |rate| exact(rate / 1e6));
        let mut row = vec![group.batches.to_string(), group.described()];
        row.extend(theirs.iter().map(given));
        row.push(ratio(paper("paper_lsm", group), paper("sorted_array", group)));
        row.push(ratio(mean("paper_lsm"), mean("sorted_array")));
        row.push(mean("gpu-lsm").map_or("-".into(), |rate| short(rate / 1e6)));
        row.extend(others.iter().map(|other| ratio(mean("gpu-lsm"), mean(other))));
        table.rows.push(row);
    }
    table
}

/// Table II, together with merging alone and with the bare sort of the same batches.
fn insertion(part: &Part) -> Table {
    let groups = &part.summaries;
    let mut table = ratios(part);
    table
        .header
        .extend(["merging alone: gpu-lsm/paper_lsm", "bare sort", "gpu-lsm/bare sort"].map(str::to_owned));
    let batches = groups.iter().filter(|(group, _)| group.case == "insert");
    for (row, (group, structures)) in table.rows.iter_mut().zip(batches) {
        let sorts =
            groups.get(&Group { case: "sort".into(), ..group.clone() }).map_or(&[][..], Vec::as_slice);
        let merging = |name: &str| merging_seconds(groups, group, find(structures, name)?);
        let bare = find(sorts, "bare_sort").map(|summary| summary.rates.mean);
        let ours = find(structures, "gpu-lsm").map(|summary| summary.rates.mean);
        row.push(ratio(merging("paper_lsm"), merging("gpu-lsm")));
        row.push(bare.map_or("-".into(), |rate| short(rate / 1e6)));
        row.push(ratio(ours, bare));
    }
    table
}

/// The figure on insertion in numbers: inserted entries divided by their total time, and the slowest batches.
fn effective(part: &Part) -> Table {
    let others = others(part.summaries.values());
    let mut header = vec!["n/b".to_owned(), "b".into(), "gpu-lsm, effective".into()];
    header.extend(others.iter().map(|other| format!("gpu-lsm/{other}")));
    header.extend(["gpu-lsm, 99th percentile in ms", "of paper_lsm's"].map(str::to_owned));
    let mut table = Table { header, ..Table::default() };
    for (group, structures) in &part.summaries {
        let rate = |name: &str| find(structures, name).map(|summary| summary.effective);
        let slow = |name: &str| find(structures, name).map(|summary| summary.seconds[2]);
        let mut row = vec![group.batches.to_string(), size(group.b)];
        row.push(rate("gpu-lsm").map_or("-".into(), |rate| short(rate / 1e6)));
        row.extend(others.iter().map(|other| ratio(rate("gpu-lsm"), rate(other))));
        row.push(slow("gpu-lsm").map_or("-".into(), |seconds| short(seconds * 1e3)));
        row.push(ratio(slow("gpu-lsm"), slow("paper_lsm")));
        table.rows.push(row);
    }
    table
}
