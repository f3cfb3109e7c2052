//! The plots of each experiment, made from its records.

use crate::error::Result;
use crate::record::experiment::Experiment;
use crate::record::machine::Machine;
use crate::record::statistics::Rates;
use crate::record::summary::{Group, ORDER, Summaries, Summary};
use crate::report::plot::{Line, Plot, Shape, Value};
use crate::report::table::size;
use std::collections::BTreeMap;
use std::path::Path;

const M_PER_S: &str = "M operations/s";
/// The structures that get one line per batch size if there are several. More lines would not be distinguishable.
const SHOWN_BY_BATCH_SIZE: [&str; 3] = ["gpu-lsm", "paper_lsm", "sorted_array"];

/// Draws the plots of an experiment, which ran on this machine, into a folder.
///
/// # Errors
/// If they cannot be written.
pub fn draw(experiment: Experiment, summaries: &Summaries, machine: &Machine, folder: &Path) -> Result<()> {
    let n = summaries.keys().map(|group| group.n).max().unwrap_or(0);
    let source = format!("{}, {}, n = {}", machine.device, machine.source(), size(n));
    plots(experiment, summaries).iter().try_for_each(|plot| plot.write(&source, folder))
}

/// The plots of an experiment, without empty ones.
pub fn plots(experiment: Experiment, summaries: &Summaries) -> Vec<Plot> {
    let mut plots = all(experiment, summaries);
    plots.retain(|plot| !plot.is_empty());
    plots
}

/// The mean rate in millions, between the lowest and the highest if there are several.
fn mean_rate(summary: &Summary) -> Value {
    let Rates { min, max, mean, .. } = summary.rates;
    Value { number: mean / 1e6, spread: (min < max).then_some((min / 1e6, max / 1e6)) }
}

fn all(experiment: Experiment, summaries: &Summaries) -> Vec<Plot> {
    match experiment {
        Experiment::Insert => {
            vec![by_batches(summaries, "insert", "insert", None, "Insertion rate, mean over r")]
        }
        Experiment::BatchTime => {
            vec![times(experiment, summaries, "Time of a batch over resident batches"), effective(summaries)]
        }
        Experiment::Lookup => vec![
            by_batches(summaries, "lookup-none", "none", None, "Lookup rate, no key exists, mean over r"),
            by_batches(summaries, "lookup-all", "all", None, "Lookup rate, all keys exist, mean over r"),
        ],
        Experiment::Ranges => [("count", 8), ("count", 1024), ("range", 8), ("range", 1024)]
            .map(|(case, l)| {
                let title = format!("Rate of {case} queries, L = {l}, mean over r");
                by_batches(summaries, &format!("{case}-{l}"), case, Some(l), &title)
            })
            .into(),
        Experiment::Steady => vec![times(experiment, summaries, "Time of a batch that overwrites")],
        Experiment::Window => vec![times(experiment, summaries, "Time of a batch of a window, key by key")],
        Experiment::Expiry => vec![times(experiment, summaries, "Time of a batch of a window, by interval")],
        Experiment::Scaling => vec![
            against_n(summaries, "insert", "Insertion rate until there are n entries"),
            against_n(summaries, "lookup", "Lookup rate, all keys exist, every level full"),
        ],
        Experiment::Shards => vec![times(experiment, summaries, "Time of a batch of ascending keys")],
        Experiment::Cleanup => vec![bars(experiment, summaries, &|group, _| group.case.clone())],
        Experiment::Build => vec![bars(experiment, summaries, &|group, _| format!("n = {}", group.n))],
        Experiment::Clustered => {
            ["insert", "lookup", "count", "range"].map(|case| clustered(summaries, case)).into()
        }
        Experiment::Traffic => vec![bytes(summaries)],
    }
}

/// Lines in the order of their structures.
fn lines(points: BTreeMap<String, Vec<(f64, Value)>>) -> Vec<Line> {
    let mut lines: Vec<_> = points.into_iter().map(|(name, points)| Line { name, points }).collect();
    lines
        .sort_by_key(|line| (ORDER.iter().position(|known| line.name.starts_with(known)), line.name.clone()));
    lines
}

/// One line per structure, through the points of its summaries.
fn structures(
    summaries: &Summaries,
    is_wanted: &dyn Fn(&Group) -> bool,
    point: &dyn Fn(&Group, &Summary) -> (f64, Value),
) -> Vec<Line> {
    let mut points: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for (group, structures) in summaries.iter().filter(|(group, _)| is_wanted(group)) {
        for summary in structures {
            points.entry(summary.structure.clone()).or_default().push(point(group, summary));
        }
    }
    lines(points)
}

/// The mean rate over the number of batches that make n.
fn by_batches(summaries: &Summaries, file: &str, case: &str, l: Option<usize>, title: &str) -> Plot {
    let lines = structures(summaries, &|group| group.case == case && group.l == l, &|group, summary| {
        (group.batches as f64, mean_rate(summary))
    });
    Plot {
        file: file.into(),
        title: title.into(),
        x: "n / b: how many batches make n".into(),
        y: M_PER_S.into(),
        shape: Shape::Lines { lines, doubling: true, marks: true },
    }
}

/// The time of each batch, for the smallest batch size.
fn times(experiment: Experiment, summaries: &Summaries, title: &str) -> Plot {
    let b = summaries.keys().map(|group| group.b).min();
    let mut points: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for summary in summaries.iter().filter(|(group, _)| Some(group.b) == b).flat_map(|(_, all)| all) {
        let times = summary.each.iter().map(|&(r, _, seconds)| (r as f64, Value::one(seconds * 1e3)));
        points.entry(summary.structure.clone()).or_default().extend(times);
    }
    Plot {
        file: experiment.name().into(),
        title: format!("{title}, b = {}", size(b.unwrap_or(0))),
        x: "r: batches that came".into(),
        y: "ms".into(),
        shape: Shape::Lines { lines: lines(points), doubling: false, marks: false },
    }
}

/// The number of inserted entries divided by the time so far, for each batch size.
fn effective(summaries: &Summaries) -> Plot {
    let mut points: BTreeMap<String, Vec<_>> = BTreeMap::new();
    let is_shown = |summary: &&Summary| SHOWN_BY_BATCH_SIZE.contains(&&*summary.structure);
    for (group, structures) in summaries {
        for summary in structures.iter().filter(is_shown) {
            let name = format!("{}, b = {}", summary.structure, size(group.b));
            points.insert(name, so_far(&summary.each));
        }
    }
    Plot {
        file: "effective-rate".into(),
        title: "Effective insertion rate".into(),
        x: "entries that came".into(),
        y: M_PER_S.into(),
        shape: Shape::Lines { lines: lines(points), doubling: true, marks: false },
    }
}

/// After each batch: the number of entries inserted so far, and M entries per second.
fn so_far(batches: &[(usize, u64, f64)]) -> Vec<(f64, Value)> {
    let (mut entries, mut seconds) = (0.0, 0.0);
    let point = |&(_, operations, took): &(usize, u64, f64)| {
        entries += operations as f64;
        seconds += took;
        (entries, Value::one(entries / seconds / 1e6))
    };
    batches.iter().map(point).collect()
}

fn against_n(summaries: &Summaries, case: &str, title: &str) -> Plot {
    let lines = structures(summaries, &|group| group.case == case, &|group, summary| {
        (group.n as f64, Value::one(summary.effective / 1e6))
    });
    Plot {
        file: format!("scaling-{case}"),
        title: title.into(),
        x: "n: entries".into(),
        y: M_PER_S.into(),
        shape: Shape::Lines { lines, doubling: true, marks: true },
    }
}

/// Bars that show mean rates.
fn bars(experiment: Experiment, summaries: &Summaries, name: &dyn Fn(&Group, &Summary) -> String) -> Plot {
    bars_of(
        summaries,
        &|_| true,
        name,
        &mean_rate,
        Plot {
            file: experiment.name().into(),
            title: experiment.title().into(),
            x: String::new(),
            y: M_PER_S.into(),
            shape: Shape::Bars { names: Vec::new(), bars: Vec::new() },
        },
    )
}

fn clustered(summaries: &Summaries, case: &str) -> Plot {
    let name = |group: &Group, _: &Summary| group.keys.name().to_owned();
    bars_of(
        summaries,
        &|group| group.case == case,
        &name,
        &mean_rate,
        Plot {
            file: format!("clustered-{case}"),
            title: format!("Rate of {case} by how keys lie, mean"),
            x: "keys".into(),
            y: M_PER_S.into(),
            shape: Shape::Bars { names: Vec::new(), bars: Vec::new() },
        },
    )
}

/// Bytes moved, or the time if no bytes were counted.
fn bytes(summaries: &Summaries) -> Plot {
    let counts_bytes = summaries.values().flatten().any(|summary| summary.traffic[0] > 0.0);
    let name =
        |group: &Group, _: &Summary| group.l.map_or(group.case.clone(), |l| format!("{} {l}", group.case));
    let height = move |summary: &Summary| {
        Value::one(match counts_bytes {
            true => summary.traffic[0] / summary.operations,
            false => summary.total_seconds / summary.operations * 1e9,
        })
    };
    bars_of(
        summaries,
        &|group| group.case != "copy",
        &name,
        &height,
        Plot {
            file: "traffic".into(),
            title: if counts_bytes {
                "Bytes that kernels move, counted"
            } else {
                "Time; no bytes are counted on the host"
            }
            .into(),
            x: "operation, with the entries of an interval".into(),
            y: if counts_bytes { "bytes per entry or query" } else { "ns per entry or query" }.into(),
            shape: Shape::Bars { names: Vec::new(), bars: Vec::new() },
        },
    )
}

fn bars_of(
    summaries: &Summaries,
    is_wanted: &dyn Fn(&Group) -> bool,
    name: &dyn Fn(&Group, &Summary) -> String,
    height: &dyn Fn(&Summary) -> Value,
    plot: Plot,
) -> Plot {
    let (mut names, mut heights) = (Vec::new(), BTreeMap::new());
    let mut found: Vec<&str> = Vec::new();
    for (group, structures) in summaries.iter().filter(|(group, _)| is_wanted(group)) {
        for summary in structures {
            let name = name(group, summary);
            if !names.contains(&name) {
                names.push(name.clone());
            }
            if !found.contains(&&*summary.structure) {
                found.push(&summary.structure);
            }
            heights.insert((summary.structure.clone(), name), height(summary));
        }
    }
    found.sort_by_key(|structure| ORDER.iter().position(|known| known == structure));
    let bar = |structure: &&str| {
        let of = |name: &String| heights.get(&((*structure).to_owned(), name.clone())).copied();
        ((*structure).to_owned(), names.iter().map(of).collect())
    };
    let bars = found.iter().map(bar).collect();
    Plot { shape: Shape::Bars { names, bars }, ..plot }
}
