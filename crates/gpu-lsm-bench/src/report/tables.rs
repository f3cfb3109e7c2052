//! The tables of each experiment, made from its records.

use crate::record::experiment::Experiment;
use crate::record::summary::{Group, Summaries, Summary};
use crate::report::paper;
use crate::report::table::{Table, exact, short, size};

/// The tables of an experiment.
pub fn tables(experiment: Experiment, summaries: &Summaries) -> Vec<Table> {
    match experiment {
        Experiment::BatchTime
        | Experiment::Steady
        | Experiment::Window
        | Experiment::Expiry
        | Experiment::Shards => vec![times(experiment, summaries)],
        Experiment::Insert => vec![rates(experiment, summaries), sort_and_merging(summaries)],
        Experiment::Traffic => vec![traffic(summaries)],
        _ => vec![rates(experiment, summaries)],
    }
}

fn title(experiment: Experiment) -> String {
    format!("{} ({})", experiment.title(), experiment.of_the_paper())
}

const RATES_NOTE: &str = "M operations/s; the mean is harmonic, over all samples but those that were taken for \
    the minimum and the maximum only; of what was repeated, the median counts. \"gpu-lsm is\": its mean against \
    the row's, in the same run. \"paper\": what the paper gives for the row's structure with as many batches, on its own \
    card. \"device\": all operations by the time from the device's first pass to its last, where the engine \
    tells.";

/// Minimum, maximum and mean rates, with the paper's next to them.
fn rates(experiment: Experiment, summaries: &Summaries) -> Table {
    let header = [
        "keys",
        "case",
        "L",
        "n",
        "b",
        "n/b",
        "structure",
        "min",
        "max",
        "mean",
        "device",
        "samples",
        "gpu-lsm is",
        "paper",
        "verified",
    ];
    let mut table = Table::new(title(experiment), RATES_NOTE, &header);
    for (group, structures) in summaries {
        let ours = structures.iter().find(|summary| summary.structure == "gpu-lsm");
        let rows = structures.iter().map(|summary| rates_row(experiment, group, summary, ours));
        table.rows.extend(rows);
    }
    table
}

fn rates_row(
    experiment: Experiment,
    group: &Group,
    summary: &Summary,
    ours: Option<&Summary>,
) -> Vec<String> {
    let Summary { structure, rates, .. } = summary;
    let millions = |rate: f64| short(rate / 1e6);
    let ratio = ours.map_or("-".into(), |ours| format!("{}x", short(ours.rates.mean / rates.mean)));
    let paper = paper::mean_rate(experiment.name(), structure, group.batches, group.l, &group.case);
    vec![
        group.keys.name().into(),
        group.case.clone(),
        group.l.map_or("-".into(), |l| l.to_string()),
        size(group.n),
        size(group.b),
        group.batches.to_string(),
        structure.clone(),
        millions(rates.min),
        millions(rates.max),
        millions(rates.mean),
        summary.on_device.map_or("-".into(), millions),
        rates.samples.to_string(),
        ratio,
        paper.map_or("-".into(), |rate| exact(rate / 1e6)),
        if summary.verified { "yes" } else { "no" }.into(),
    ]
}

/// The mean time of a batch, and the share of its sort.
fn sort_and_merging(summaries: &Summaries) -> Table {
    let header = ["n/b", "b", "structure", "batch ms", "sort ms", "merging ms", "merging"];
    let note = "Mean over all batches. The sort is what a batch costs in an empty structure, waiting included, the median \
        of several batches; merging is the rest.";
    let mut table = Table::new("The batch's sort and the merging apart (Table II)", note, &header);
    for (group, structures) in summaries.iter().filter(|(group, _)| group.case == "insert") {
        let sorts = summaries.get(&Group { case: "sort".into(), ..group.clone() });
        for batch in structures {
            let sort = sorts.and_then(|sorts| sorts.iter().find(|sort| sort.structure == batch.structure));
            let Some(sort) = sort else { continue };
            let mean = |summary: &Summary| 1e3 * summary.mean_seconds();
            let merging = (mean(batch) - mean(sort)).max(0.0);
            table.rows.push(vec![
                group.batches.to_string(),
                size(group.b),
                batch.structure.clone(),
                short(mean(batch)),
                short(mean(sort)),
                short(merging),
                format!("{:.0} %", 100.0 * merging / mean(batch)),
            ]);
        }
    }
    table
}

/// Percentiles of the batch times, and the resident entries and bytes at the end.
fn times(experiment: Experiment, summaries: &Summaries) -> Table {
    let header = [
        "keys",
        "n",
        "b",
        "structure",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "max ms",
        "effective M/s",
        "gpu-lsm is",
        "bytes/live entry",
        "entries/live entry",
        "verified",
    ];
    let note = "Times of one batch. Effective: all operations by all of their time; \"gpu-lsm is\" compares it. Resident \
        after the last batch, for each of the n entries that are live then.";
    let mut table = Table::new(title(experiment), note, &header);
    for (group, structures) in summaries {
        let ours = structures.iter().find(|summary| summary.structure == "gpu-lsm");
        let live = (group.batches * group.b) as f64;
        for summary in structures {
            let ratio =
                ours.map_or("-".into(), |ours| format!("{}x", short(ours.effective / summary.effective)));
            let mut row =
                vec![group.keys.name().into(), size(group.n), size(group.b), summary.structure.clone()];
            row.extend(summary.seconds.iter().map(|seconds| short(seconds * 1e3)));
            row.extend([
                short(summary.effective / 1e6),
                ratio,
                summary.bytes.map_or("-".into(), |bytes| short(bytes as f64 / live)),
                short(summary.entries as f64 / live),
                if summary.verified { "yes" } else { "no" }.into(),
            ]);
            table.rows.push(row);
        }
    }
    table
}

/// The rate of the fastest copy, in bytes per second.
fn copy_rate(summaries: &Summaries) -> Option<f64> {
    let copies = summaries.iter().filter(|(group, _)| group.case == "copy").flat_map(|(_, all)| all);
    copies.map(|summary| summary.rates.max).max_by(f64::total_cmp)
}

/// A case with the length of its intervals.
fn case(group: &Group) -> String {
    group.l.map_or(group.case.clone(), |l| format!("{}, L = {l}", group.case))
}

/// The bytes moved, the launches and the waits of each operation.
fn traffic(summaries: &Summaries) -> Table {
    let header =
        ["case", "structure", "bytes/op", "launches", "waits", "read back/op", "GB/s", "share of copy"];
    let copy = copy_rate(summaries);
    let note = format!(
        "Per entry or query, all samples together; launches and waits per call. Bytes are counted at the launches, on \
         GPUs only: what a kernel streams through, and a sector of 32 bytes for each step of a search, no cache helping. \
         What waves request of memory can be more: docs/sectors.md counts that, and docs/model.md what it means on real \
         cards. A launch waits for the one before it. A share above 100 % says that \
         caches did help. The fastest copy of this device in this run: {} GB/s.",
        copy.map_or("-".into(), |rate| short(rate / 1e9))
    );
    let mut table = Table::new(title(Experiment::Traffic), note, &header);
    for (group, structures) in summaries.iter().filter(|(group, _)| group.case != "copy") {
        for summary in structures {
            let [moved, launches, waits, downloaded] = summary.traffic;
            let calls = summary.rates.samples as f64;
            let bandwidth = moved / summary.total_seconds;
            let share = copy
                .filter(|_| moved > 0.0)
                .map_or("-".into(), |copy| format!("{:.0} %", 100.0 * bandwidth / copy));
            table.rows.push(vec![
                case(group),
                summary.structure.clone(),
                counted(moved / summary.operations),
                counted(launches / calls),
                counted(waits / calls),
                counted(downloaded / summary.operations),
                counted(bandwidth / 1e9),
                share,
            ]);
        }
    }
    table
}

/// A count; zero means that it was not counted.
fn counted(number: f64) -> String {
    if number > 0.0 { short(number) } else { "-".into() }
}
