//! The plots of each experiment, made from its records.

use crate::experiment::Experiment;
use crate::plot::{Line, Plot, Shape};
use crate::record::Record;
use crate::summary::{Group, ORDER, Summary, summaries};
use std::collections::BTreeMap;

const M_PER_S: &str = "M operations/s";

/// The plots of an experiment.
pub fn plots(experiment: Experiment, records: &[Record]) -> Vec<Plot> {
    match experiment {
        Experiment::Insert => {
            vec![by_batches(records, "insert", "insert", None, "Insertion rate, mean over r")]
        }
        Experiment::BatchTime => {
            vec![times(experiment, records, "Time of a batch over resident batches"), effective(records)]
        }
        Experiment::Lookup => vec![
            by_batches(records, "lookup-none", "none", None, "Lookup rate, no key exists, mean over r"),
            by_batches(records, "lookup-all", "all", None, "Lookup rate, all keys exist, mean over r"),
        ],
        Experiment::Ranges => [("count", 8), ("count", 1024), ("range", 8), ("range", 1024)]
            .map(|(case, l)| {
                let title = format!("Rate of {case} queries, L = {l}, mean over r");
                by_batches(records, &format!("{case}-{l}"), case, Some(l), &title)
            })
            .into(),
        Experiment::Steady => vec![times(experiment, records, "Time of a batch that overwrites")],
        Experiment::Window => vec![times(experiment, records, "Time of a batch of a sliding window")],
        Experiment::Scaling => vec![
            against_n(records, "insert", "Insertion rate until there are n entries"),
            against_n(records, "lookup", "Lookup rate, all keys exist, every level full"),
        ],
        Experiment::Cleanup => vec![bars(experiment, records, &|group, _| group.case.clone())],
        Experiment::Build => vec![bars(experiment, records, &|group, _| format!("n = {}", group.n))],
        Experiment::Clustered => {
            ["insert", "lookup", "count", "range"].map(|case| clustered(records, case)).into()
        }
        Experiment::Traffic => vec![bytes(records)],
    }
}

/// Lines in the structures' order.
fn lines(points: BTreeMap<String, Vec<(f64, f64)>>) -> Vec<Line> {
    let mut lines: Vec<_> = points.into_iter().map(|(name, points)| Line { name, points }).collect();
    lines
        .sort_by_key(|line| (ORDER.iter().position(|known| line.name.starts_with(known)), line.name.clone()));
    lines
}

/// A line for each structure through what its summaries have.
fn structures(
    records: &[Record],
    is_wanted: &dyn Fn(&Group) -> bool,
    point: &dyn Fn(&Group, &Summary) -> (f64, f64),
) -> Vec<Line> {
    let mut points: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for (group, structures) in summaries(records).iter().filter(|(group, _)| is_wanted(group)) {
        for summary in structures {
            points.entry(summary.structure.clone()).or_default().push(point(group, summary));
        }
    }
    lines(points)
}

/// The mean rate over how many batches make n.
fn by_batches(records: &[Record], file: &str, case: &str, l: Option<usize>, title: &str) -> Plot {
    let lines = structures(records, &|group| group.case == case && group.l == l, &|group, summary| {
        (group.batches as f64, summary.rates.mean / 1e6)
    });
    let n = records.iter().map(|record| record.sample.n).max().unwrap_or(0);
    Plot {
        file: file.into(),
        title: title.into(),
        x: format!("n / b: how many batches make n = {}", crate::table::size(n)),
        y: M_PER_S.into(),
        shape: Shape::Lines { lines, doubling: true, marks: true },
    }
}

/// The time of each batch, for the smallest batch size.
fn times(experiment: Experiment, records: &[Record], title: &str) -> Plot {
    let b = records.iter().map(|record| record.sample.b).min();
    let mut points: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for record in records.iter().filter(|record| Some(record.sample.b) == b) {
        let line = points.entry(record.sample.structure.clone()).or_default();
        line.push((record.sample.r as f64, record.seconds * 1e3));
    }
    Plot {
        file: experiment.name().into(),
        title: format!("{title}, b = {}", crate::table::size(b.unwrap_or(0))),
        x: "r: batches that came".into(),
        y: "ms".into(),
        shape: Shape::Lines { lines: lines(points), doubling: false, marks: false },
    }
}

/// The entries that came in by the time that they took, for each batch size.
fn effective(records: &[Record]) -> Plot {
    let mut series: BTreeMap<(String, usize), Vec<&Record>> = BTreeMap::new();
    for record in records
        .iter()
        .filter(|record| ["gpu-lsm", "paper_lsm", "sorted_array"].contains(&&*record.sample.structure))
    {
        series.entry((record.sample.structure.clone(), record.sample.b)).or_default().push(record);
    }
    let mut points: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for ((structure, b), mut batches) in series {
        batches.sort_by_key(|record| record.sample.r);
        let (mut entries, mut seconds) = (0.0, 0.0);
        let line = batches.iter().map(|record| {
            entries += record.operations as f64;
            seconds += record.seconds;
            (entries, entries / seconds / 1e6)
        });
        points.insert(format!("{structure}, b = {}", crate::table::size(b)), line.collect());
    }
    Plot {
        file: "effective-rate".into(),
        title: "Effective insertion rate".into(),
        x: "entries that came".into(),
        y: M_PER_S.into(),
        shape: Shape::Lines { lines: lines(points), doubling: true, marks: false },
    }
}

fn against_n(records: &[Record], case: &str, title: &str) -> Plot {
    let lines = structures(records, &|group| group.case == case, &|group, summary| {
        (group.n as f64, summary.effective / 1e6)
    });
    Plot {
        file: format!("scaling-{case}"),
        title: title.into(),
        x: "n: entries".into(),
        y: M_PER_S.into(),
        shape: Shape::Lines { lines, doubling: true, marks: true },
    }
}

/// Bars of mean rates.
fn bars(experiment: Experiment, records: &[Record], name: &dyn Fn(&Group, &Summary) -> String) -> Plot {
    bars_of(
        records,
        &|_| true,
        name,
        &|summary| summary.rates.mean / 1e6,
        Plot {
            file: experiment.name().into(),
            title: experiment.title().into(),
            x: String::new(),
            y: M_PER_S.into(),
            shape: Shape::Bars { names: Vec::new(), bars: Vec::new() },
        },
    )
}

fn clustered(records: &[Record], case: &str) -> Plot {
    let name = |group: &Group, _: &Summary| group.keys.name().to_owned();
    bars_of(
        records,
        &|group| group.case == case,
        &name,
        &|summary| summary.rates.mean / 1e6,
        Plot {
            file: format!("clustered-{case}"),
            title: format!("Rate of {case} by how keys lie, mean"),
            x: "keys".into(),
            y: M_PER_S.into(),
            shape: Shape::Bars { names: Vec::new(), bars: Vec::new() },
        },
    )
}

/// Launches, where no bytes were counted.
fn bytes(records: &[Record]) -> Plot {
    let counts_bytes = records.iter().any(|record| record.moved > 0);
    let name =
        |group: &Group, _: &Summary| group.l.map_or(group.case.clone(), |l| format!("{} {l}", group.case));
    let height = move |summary: &Summary| match counts_bytes {
        true => summary.traffic[0] / summary.operations,
        false => summary.total_seconds / summary.operations * 1e9,
    };
    bars_of(
        records,
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
    records: &[Record],
    is_wanted: &dyn Fn(&Group) -> bool,
    name: &dyn Fn(&Group, &Summary) -> String,
    height: &dyn Fn(&Summary) -> f64,
    plot: Plot,
) -> Plot {
    let (mut names, mut heights) = (Vec::new(), BTreeMap::new());
    let mut found: Vec<&str> = Vec::new();
    let summaries = summaries(records);
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
